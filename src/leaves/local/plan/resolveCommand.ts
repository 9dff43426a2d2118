/** Resolves the canonical executable and working directory of a command without starting it. */
import * as Result from "effect/Result"
import type { ShellExec } from "../../../command/ShellExec.ts"
import type { SpawnConstraints } from "../../../shell/LeafFiles.ts"
import type { ResolvedCommand } from "../../../shell/ShellService.ts"
import { type LocalCommand, planDirectory } from "./planCommand.ts"
import type { LocalContext, PlanResult } from "./LocalContext.ts"

/** The canonical directory of a command whose program is not there, or must not be run. */
const directoryAlone = (
  exec: ShellExec,
  context: LocalContext,
  pinned: SpawnConstraints | undefined,
): ResolvedCommand => {
  const { host } = context
  const directory = Result.map(planDirectory(exec, context, pinned), (own) => own ?? host.cwd())
  return Result.isFailure(directory) || directory.success === undefined
    ? {}
    : { workingDirectory: host.realPath(directory.success) ?? directory.success }
}

/** Resolves the program and the directory of a planned command; without a program if it cannot be resolved. */
export const resolveCommand = (
  exec: ShellExec,
  planned: PlanResult<LocalCommand>,
  context: LocalContext,
  pinned: SpawnConstraints | undefined,
): ResolvedCommand | undefined => {
  if (Result.isFailure(planned)) {
    const { _tag } = planned.failure.reason
    return _tag === "NotFound" || _tag === "PermissionDenied" ? directoryAlone(exec, context, pinned) : undefined
  }
  const { host, platform } = context
  const { executable, request } = planned.success
  const directory = pinned?.directory?.file ?? request.cwd ?? host.cwd()
  // The directory of a plan is canonical already, and so is that of getcwd(3).
  const canonical = directory === undefined || platform === "posix" ? directory : host.realPath(directory) ?? directory
  return {
    // A bare name means that the file system may not be read; then the path cannot be made canonical either.
    ...(/[/\\]/.test(executable) ? { executable: host.realPath(executable) ?? executable } : undefined),
    ...(canonical === undefined ? undefined : { workingDirectory: canonical }),
  }
}
