#pragma once

#include "kinetic/try.h"
