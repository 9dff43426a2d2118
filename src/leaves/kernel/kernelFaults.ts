/** Converts errnos of the kernel into the `ShellFault` of a command. */
import { quote, quoteIfNeeded } from "../../base/quote.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { workingDirectoryIssue } from "../../command/workingDirectoryIssue.ts"
import { Errno, errnoName, errnoText } from "../../kernel/Errno.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"

const make = (exec: ShellExec, reason: FaultReason, issue: string, code: string, executable?: string): ShellFault =>
  ShellFault.because(exec.commandId, reason, `exec: ${issue} (${code})`, executable === undefined ? {} : { executable })

export const faultOfDirectory = (exec: ShellExec, path: string, errno: number): ShellFault => {
  const code = errnoName(errno)
  if (errno === -Errno.EACCES) {
    return make(exec, { _tag: "PermissionDenied", path, code }, `permission denied to enter ${quote(path)}`, code)
  }
  if (errno === -Errno.ENAMETOOLONG) {
    const reason = { _tag: "InvalidRequest", field: "workingDirectory", code } as const
    return make(exec, reason, "the name of the working directory is too long", code)
  }
  const problem = errno === -Errno.ENOTDIR ? "is not a directory" : "does not exist"
  const reason = { _tag: "NotFound", what: "workingDirectory", path, code } as const
  return make(exec, reason, workingDirectoryIssue(problem, path), code)
}

const notFound = (exec: ShellExec, name: string, code: string): ShellFault => {
  const what = exec.useShell ? "interpreter" : "command"
  const issue = `${quoteIfNeeded(name)} not found${name.includes("/") ? "" : " in PATH"}`
  return make(exec, { _tag: "NotFound", what, path: name, code }, issue, code)
}

export const faultOfProgram = (exec: ShellExec, name: string, errno: number, sandbox: SandboxService): ShellFault => {
  const code = errnoName(errno)
  switch (errno) {
    case -Errno.EACCES: {
      if (sandbox.kernel.forbids(name)) {
        const reason = { _tag: "NotAllowed", policy: "programs", value: name } as const
        return make(exec, reason, `${quote(name)} is not among the programs that this sandbox allows`, code)
      }
      return make(
        exec,
        { _tag: "PermissionDenied", path: name, code },
        `${quote(name)} may not be executed`,
        code,
        name,
      )
    }
    case -Errno.ENAMETOOLONG:
      return make(exec, { _tag: "InvalidRequest", field: "command", code }, "the name of the command is too long", code)
    default:
      return notFound(exec, name, code)
  }
}

const size = (words: Iterable<string>): number => {
  let sum = 0
  for (const word of words) sum += encodeUtf8(word).length + 1
  return sum
}

const tooLong = (exec: ShellExec, code: string): ShellFault => {
  const args = size([exec.command, ...exec.arguments.map((word) => reveal(word) ?? "")])
  const variables = size(
    Object.entries(exec.environment ?? {}).map(([name, value]) => `${name}=${value === null ? "" : reveal(value)}`),
  )
  const [field, bytes] = variables > args ? ["environment", variables] : ["arguments", args]
  return make(exec, { _tag: "InvalidRequest", field, code }, `the ${field} are too long: ${bytes} bytes`, code)
}

const headBytes = 256

/** Returns the interpreter that the first line of a script names after `#!`. */
const interpreterOf = (sandbox: SandboxService, path: string): string | undefined => {
  const { fileSystem } = sandbox
  const file = fileSystem.open(fileSystem.root, path, { read: true })
  if (typeof file === "number") return undefined
  const head = new Uint8Array(headBytes)
  const count = file.readAt(0, head)
  file.release()
  return /^#![ \t]*([^ \t\n]+)/.exec(new TextDecoder("latin1").decode(head.subarray(0, Math.max(0, count))))?.[1]
}

export const faultOfStart = (exec: ShellExec, path: string, errno: number, sandbox: SandboxService): ShellFault => {
  const code = errnoName(errno)
  switch (errno) {
    case -Errno.E2BIG:
      return tooLong(exec, code)
    case -Errno.EAGAIN:
      return make(
        exec,
        { _tag: "ResourceExhausted", resource: "processes", code },
        "no more processes may be started",
        code,
      )
    case -Errno.ENOMEM:
      return make(exec, { _tag: "ResourceExhausted", resource: "memory", code }, "there is not enough memory", code)
    case -Errno.EMFILE:
    case -Errno.ENFILE: {
      const reason = { _tag: "ResourceExhausted", resource: "file descriptors", code } as const
      return make(exec, reason, "no file descriptor is left", code)
    }
    case -Errno.ENOENT: {
      const interpreter = interpreterOf(sandbox, path)
      const named = interpreter === undefined ? "the interpreter" : `the interpreter ${quote(interpreter.trimEnd())}`
      const reason = { _tag: "NotFound", what: "interpreter", path: interpreter ?? path, code } as const
      return make(exec, reason, `${named} of ${quote(path)} not found`, code, path)
    }
    case -Errno.EACCES:
    case -Errno.EPERM:
      return make(exec, { _tag: "PermissionDenied", path, code }, `${quote(path)} may not be executed`, code, path)
    case -Errno.ENOEXEC: {
      const issue = `${quote(path)} is neither a program for this kernel nor a script`
      return make(exec, { _tag: "InvalidRequest", field: "command", code }, issue, code, path)
    }
    default:
      return make(
        exec,
        { _tag: "Unknown", code },
        `${quote(path)} could not be started: ${errnoText(errno)}`,
        code,
        path,
      )
  }
}
