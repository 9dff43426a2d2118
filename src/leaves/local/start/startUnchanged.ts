/**
 * Replaces a program by the file that an access policy has checked, and starts a process only if its program and
 * directory are still the checked ones.
 */
import * as Effect from "effect/Effect"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { FileSnapshot, SpawnConstraints } from "../../../shell/LeafFiles.ts"
import type { Host, HostProcess, SpawnRequest } from "../../../host/Host.ts"
import type { Program } from "../plan/LocalContext.ts"
import { startNow, startRequest } from "./startRequest.ts"

const isScript = (host: Host, path: string): boolean => {
  const head = host.readHead(path, 2)
  return head === undefined || (head[0] === 0x23 && head[1] === 0x21)
}

/**
 * Replaces a program by its checked canonical file, with the name it was found by as argv[0]: multi-call programs (busybox,
 * Python in a virtual environment) use that. A script gets only its path, and on Deno argv[0] is the started path: these are
 * started by the name they were found by.
 */
export const withCheckedFile = (
  program: Program,
  pinned: FileSnapshot | undefined,
  host: Host,
): Program & { readonly argv0?: string } => {
  if (pinned === undefined || program.file !== pinned.path || pinned.file === pinned.path) return program
  if (host.os === "windows" || host.runtime === "deno" || isScript(host, pinned.file)) return program
  return { ...program, file: pinned.file, argv0: pinned.path }
}

const isSame = (host: Host, { file, identity, path }: FileSnapshot): boolean =>
  host.realPath(path) === file && host.identity(file) === identity

const changed = (exec: ShellExec, what: string, path: string): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "NotAllowed", policy: "sameFile", value: path },
    `exec: the ${what} ${path} is not the one that was checked (NOT_ALLOWED)`,
  )

/**
 * Starts a process if its checked files are unchanged; fails with a fault, or with the runtime's error. The directory is held
 * open where possible, compared, and used for the process.
 */
export const startUnchanged = (
  exec: ShellExec,
  host: Host,
  request: SpawnRequest,
  pinned: SpawnConstraints | undefined,
): Effect.Effect<HostProcess, unknown> => {
  if (pinned === undefined) return startNow(host, request)
  return Effect.suspend(() => {
    const { directory, program } = pinned
    const held = directory === undefined ? undefined : host.hold?.(directory.file)
    const release = Effect.sync(() => held?.release())
    const isDirectory = directory === undefined ||
      (host.hold === undefined
        ? isSame(host, directory)
        : held?.file === directory.file && held.identity === directory.identity)
    if (directory !== undefined && !isDirectory) {
      return Effect.ensuring(Effect.fail(changed(exec, "working directory", directory.path)), release)
    }
    if (program !== undefined && !isSame(host, program)) {
      return Effect.ensuring(Effect.fail(changed(exec, "program", program.path)), release)
    }
    const start = startRequest(host, held === undefined ? request : { ...request, cwd: held.path })
    return Effect.ensuring(start, release)
  })
}
