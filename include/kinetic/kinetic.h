#pragma once

/// The whole public interface of libkinetic.
#include "kinetic/accelerator.h"
#include "kinetic/bundle.h"
#include "kinetic/client.h"
#include "kinetic/cloud.h"
#include "kinetic/data.h"
#include "kinetic/environment.h"
#include "kinetic/error.h"
#include "kinetic/job.h"
#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"
#include "kinetic/log.h"
#include "kinetic/observer.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"
#include "kinetic/version.h"
