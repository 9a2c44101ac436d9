#pragma once

namespace kinetic::cli {

class Command;

/// Adds all commands to the root, in the order in which help lists them.
void RegisterAll(Command& root);

// Each function adds one command, or the subcommands of one, to its parent.

void RegisterBundleDiff(Command& parent);
void RegisterBundleLs(Command& parent);
void RegisterDataLs(Command& parent);
void RegisterDataPut(Command& parent);
void RegisterDataRm(Command& parent);

void RegisterEnvExplain(Command& parent);
void RegisterEnvLs(Command& parent);
void RegisterEnvRm(Command& parent);
void RegisterEnvWhy(Command& parent);
void RegisterLock(Command& parent);

void RegisterImageBuild(Command& parent);
void RegisterImageLs(Command& parent);
void RegisterImageRm(Command& parent);
void RegisterImageRunner(Command& parent);

void RegisterClusterStatus(Command& parent);
void RegisterDown(Command& parent);
void RegisterPoolAdd(Command& parent);
void RegisterPoolLs(Command& parent);
void RegisterPoolResize(Command& parent);
void RegisterPoolRm(Command& parent);
void RegisterUp(Command& parent);

void RegisterAttach(Command& parent);
void RegisterCancel(Command& parent);
void RegisterCosts(Command& parent);
void RegisterCp(Command& parent);
void RegisterDiff(Command& parent);
void RegisterInit(Command& parent);
void RegisterLogs(Command& parent);
void RegisterMetrics(Command& parent);
void RegisterOutputs(Command& parent);
void RegisterOutputsGet(Command& parent);
void RegisterOutputsLs(Command& parent);
void RegisterOutputsRm(Command& parent);
void RegisterPs(Command& parent);
void RegisterRerun(Command& parent);
void RegisterResult(Command& parent);
void RegisterResults(Command& parent);
void RegisterRm(Command& parent);
void RegisterRun(Command& parent);
void RegisterStatus(Command& parent);
void RegisterTimeline(Command& parent);
void RegisterWait(Command& parent);
void RegisterWhy(Command& parent);

void RegisterProfileCreate(Command& parent);
void RegisterProfileLs(Command& parent);
void RegisterProfileRm(Command& parent);
void RegisterProfileShow(Command& parent);
void RegisterProfileUse(Command& parent);

void RegisterAccelerators(Command& parent);
void RegisterAuthStatus(Command& parent);
/// Adds the hidden command that completion scripts call.
void RegisterCompleteWords(Command& parent);
void RegisterCompletion(Command& parent);
void RegisterConfig(Command& parent);
/// Adds get, set and unset.
void RegisterConfigValues(Command& parent);
void RegisterDoctor(Command& parent);
void RegisterGc(Command& parent);
void RegisterHelp(Command& parent);
/// Adds the hidden command that prints the manual page for installation.
void RegisterMan(Command& parent);
void RegisterSchema(Command& parent);
void RegisterVersion(Command& parent);

}  // namespace kinetic::cli
