import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, copyFileSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import type { FaultReason } from "../../../src/command/FaultReason.ts"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { ShellFault } from "../../../src/command/ShellFault.ts"
import { faultOfSpawnError, scriptInterpreter, type SpawnContext } from "../../../src/host/faults/spawnError.ts"
import { withoutThreads } from "../../support/withoutThreads.ts"
import { type RawOptions, rawSpawn, rawSpawnError, runtime } from "../../leaves/local/rawSpawn.ts"

const isWindows = process.platform === "win32"
const isLinux = process.platform === "linux"

const home = realpathSync(mkdtempSync(join(tmpdir(), "sluice-spawn-")))
afterAll(() => rmSync(home, { recursive: true }))

const file = (name: string, content: string, mode = 0o755): string => {
  const path = join(home, name)
  // Another program writes it: were the file open in this one, a spawn of another thread would take the open
  // descriptor along for a moment, and the file be busy.
  execFileSync("/bin/sh", ["-c", 'printf %s "$2" > "$1"; chmod "$3" "$1"', "sh", path, content, mode.toString(8)])
  return path
}

/** Has the runtime fail for real, and makes a fault of what it threw. */
const provoke = async (
  executable: string,
  args: ReadonlyArray<string> = [],
  options: RawOptions = {},
  seen: Partial<SpawnContext> = {},
): Promise<{ readonly reason: FaultReason; readonly message: string; readonly fault: ShellFault }> => {
  const exec = ShellExec.make(executable, args, options.env === undefined ? {} : { env: options.env })
  const fault = faultOfSpawnError(await rawSpawnError(executable, args, options), {
    exec,
    executable,
    cwd: options.cwd,
    ...seen,
  })
  expect(fault.commandId).toBe(exec.commandId)
  expect(fault.executable).toBe(executable)
  expect(fault.exception).not.toBe("")
  // Every one of them goes over the wire.
  expect(Schema.decodeSync(ShellFault)(Schema.encodeSync(ShellFault)(fault)).reason).toEqual(fault.reason)
  return { reason: fault.reason, message: fault.message, fault }
}

it("says that a program is not in PATH", async () => {
  const { message, reason } = await provoke("no-such-program")
  expect(reason).toEqual({ _tag: "NotFound", what: "command", path: "no-such-program", code: "ENOENT" })
  expect(message).toBe("exec: no-such-program not found in PATH (ENOENT)")
})

it("says that there is no program at a path", async () => {
  const { message, reason } = await provoke("/no/such/program", [], {}, { executableIs: "none" })
  expect(reason).toEqual({ _tag: "NotFound", what: "command", path: "/no/such/program", code: "ENOENT" })
  expect(message).toBe("exec: /no/such/program not found (ENOENT)")
})

it.skipIf(isWindows)(
  "distinguishes a missing working directory from a missing program, even if both are missing",
  async () => {
    const cwd = join(home, "ghost")
    for (const [program, executableIs] of [["/bin/sh", "executable"], ["/no/such/program", "none"]] as const) {
      const { message, reason } = await provoke(program, [], { cwd }, { cwdIs: "none", executableIs })
      expect(reason).toEqual({ _tag: "NotFound", what: "workingDirectory", path: cwd, code: "ENOENT" })
      expect(message).toBe(`exec: Working directory does not exist '${cwd}' (ENOENT)`)
    }
  },
)

it.skipIf(isWindows)("says that a working directory is not a directory", async () => {
  const cwd = file("not-a-directory", "")
  const { message, reason } = await provoke("/bin/sh", [], { cwd }, { cwdIs: "executable", executableIs: "executable" })
  expect(reason).toEqual({ _tag: "NotFound", what: "workingDirectory", path: cwd, code: "ENOTDIR" })
  expect(message).toBe(`exec: Working directory is not a directory '${cwd}' (ENOTDIR)`)
})

it.skipIf(isWindows)("does not blame a working directory that cannot be accessed", async () => {
  const seen = { cwdIs: "unknown", executableIs: "unknown" } as const
  const { reason } = await provoke("/no/such/program", [], { cwd: home }, seen)
  expect(reason).toMatchObject({ _tag: "NotFound", what: "command" })
})

it.skipIf(isWindows)("distinguishes a script's missing interpreter from a missing script", async () => {
  const script = file("no-interpreter", "#!/no/such/interpreter -x\n")
  const interpreter = scriptInterpreter("#!/no/such/interpreter -x\n")
  const { message, reason } = await provoke(script, [], { cwd: home }, {
    cwdIs: "directory",
    executableIs: "executable",
    interpreter,
  })
  expect(reason).toEqual({ _tag: "NotFound", what: "interpreter", path: "/no/such/interpreter", code: "ENOENT" })
  expect(message).toBe(`exec: the interpreter "/no/such/interpreter" of "${script}" not found (ENOENT)`)
})

it.skipIf(isWindows)("names a carriage return after the interpreter as the cause", async () => {
  const head = "#!/bin/sh\r\necho hi\r\n"
  const script = file("carriage-return", head)
  const seen = { executableIs: "executable", interpreter: scriptInterpreter(head) } as const
  const { message, reason } = await provoke(script, [], {}, seen)
  expect(reason).toEqual({ _tag: "NotFound", what: "interpreter", path: "/bin/sh\r", code: "ENOENT" })
  expect(message).toContain('"/bin/sh"')
  expect(message).toContain("carriage return")
})

it.skipIf(isWindows)("says that a part of the path is a file, not a directory", async () => {
  const path = `${file("a-file", "")}/program`
  const { message, reason } = await provoke(path, [], { cwd: home }, { cwdIs: "directory", executableIs: "none" })
  expect(reason).toEqual({ _tag: "NotFound", what: "command", path, code: "ENOTDIR" })
  expect(message).toBe(`exec: ${path} not found: a part of its path is not a directory (ENOTDIR)`)
})

it.skipIf(isWindows)("says that symbolic links go round in a circle", async () => {
  const path = join(home, "round")
  symlinkSync(path, path)
  const { message, reason } = await provoke(path, [], { cwd: home }, { cwdIs: "directory", executableIs: "unknown" })
  expect(reason).toEqual({ _tag: "NotFound", what: "command", path, code: "ELOOP" })
  expect(message).toMatch(/links go round in a circle \(ELOOP\)$/)
  const seen = { cwdIs: "unknown", executableIs: "executable" } as const
  expect((await provoke("/bin/sh", [], { cwd: path }, seen)).reason).toMatchObject({ what: "workingDirectory" })
})

it.skipIf(isWindows)("reports a file without the execute permission, and a directory", async () => {
  for (const path of [file("no-x", "#!/bin/sh\n", 0o644), home]) {
    const { message, reason } = await provoke(path, [], { cwd: home }, { cwdIs: "directory", executableIs: "file" })
    expect(reason).toEqual({ _tag: "PermissionDenied", path, code: "EACCES" })
    expect(message).toBe(`exec: permission denied to run "${path}" (EACCES)`)
  }
})

it.skipIf(!isLinux)("says that a program is being written", async () => {
  const path = join(home, "busy")
  copyFileSync("/bin/true", path)
  chmodSync(path, 0o755)
  const descriptor = openSync(path, "r+")
  try {
    const { message, reason } = await provoke(path)
    expect(reason).toEqual({ _tag: "PermissionDenied", path, code: "ETXTBSY" })
    expect(message).toBe(`exec: "${path}" is being written (ETXTBSY)`)
  } finally {
    closeSync(descriptor)
  }
})

it.skipIf(isWindows)(
  "says that a script without '#!' is not a program, if the runtime does not run it with sh",
  async () => {
    const path = file("no-shebang", "echo hi\n")
    if (runtime !== "bun") {
      expect(await rawSpawn(path)).toEqual({ exitCode: 0, output: "hi\n" })
      return
    }
    const { message, reason } = await provoke(path, [], {}, { executableIs: "executable" })
    expect(reason).toEqual({ _tag: "InvalidRequest", field: "command", code: "ENOEXEC" })
    expect(message).toContain("script that begins with '#!' (ENOEXEC)")
  },
)

it.skipIf(isWindows)("says which of arguments and environment is too long", async () => {
  const long = "x".repeat(3_000_000)
  const args = await provoke("/bin/sh", [long])
  expect(args.reason).toEqual({ _tag: "InvalidRequest", field: "arguments", code: "E2BIG" })
  expect(args.message).toBe("exec: the arguments are too long: 3000009 bytes in 2 strings (E2BIG)")
  const environment = await provoke("/bin/sh", [], { env: { A: long } })
  expect(environment.reason).toEqual({ _tag: "InvalidRequest", field: "environment", code: "E2BIG" })
})

it.skipIf(isWindows)("says that a name is too long", async () => {
  const name = `/${"n".repeat(300)}`
  const { reason } = await provoke(name, [], { cwd: home }, { cwdIs: "directory", executableIs: "unknown" })
  expect(reason).toEqual({ _tag: "InvalidRequest", field: "command", code: "ENAMETOOLONG" })
})

it("refuses an empty command", async () => {
  const { reason } = await provoke("")
  // Deno and Bun look for it, and do not find it.
  expect(reason).toEqual(
    runtime === "node"
      ? { _tag: "InvalidRequest", field: "command", code: "EINVAL" }
      : { _tag: "NotFound", what: "command", path: "", code: "ENOENT" },
  )
})

it("names the field that a NUL is in", async () => {
  const [command, argument] = [await provoke("/bin/s\0h"), await provoke("/bin/sh", ["a", "a\0b"])]
  expect(command.reason).toEqual({ _tag: "InvalidRequest", field: "command", code: "EINVAL" })
  expect(argument.reason).toEqual({ _tag: "InvalidRequest", field: "arguments", code: "EINVAL" })
  const environment = await provoke("/bin/sh", [], { env: { A: "a\0b" } })
  expect(environment.reason).toEqual({ _tag: "InvalidRequest", field: "environment", code: "EINVAL" })
})

const fixture = (name: string, flags: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Array<ShellFault> => {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const deno = runtime === "deno" ? ["run", "--no-prompt", ...flags] : []
  const printed = execFileSync(process.execPath, [...deno, path, ...args], { encoding: "utf8", env: withoutThreads })
  const decode = Schema.decodeSync(Schema.fromJsonString(ShellFault))
  return printed.trim().split("\n").map((line) => decode(line))
}

it.skipIf(!isLinux)("says that file descriptors have run out", () => {
  const [fault] = fixture("../../leaves/local/exhaust.fixture.ts", ["-A"], "descriptors")
  expect(fault?.reason).toEqual({ _tag: "ResourceExhausted", resource: "file descriptors", code: "EMFILE" })
  expect(fault?.message).toBe("exec: this process has no file descriptor left (EMFILE)")
})

it.skipIf(!isLinux)("says that no more processes may be started", () => {
  const [fault] = fixture("../../leaves/local/exhaust.fixture.ts", ["-A"], "processes")
  expect(fault?.reason).toEqual({ _tag: "ResourceExhausted", resource: "processes", code: "EAGAIN" })
  expect(fault?.message).toBe("exec: no more processes may be started (EAGAIN)")
})

it.skipIf(runtime !== "deno" || isWindows)("names the missing permission of Deno", () => {
  const [name, path, preload, missing] = fixture("../../leaves/local/permissions.fixture.ts", ["--allow-run=git"])
  expect(name?.reason).toEqual({ _tag: "PermissionDenied", path: "ls", code: "NotCapable" })
  expect(name?.message).toBe('exec: Deno may not run "ls": start it with --allow-run=ls (NotCapable)')
  expect(path?.reason).toEqual({ _tag: "PermissionDenied", path: "/bin/ls", code: "NotCapable" })
  expect(preload?.reason).toEqual({ _tag: "PermissionDenied", path: "git", code: "NotCapable" })
  expect(preload?.message).toMatch(/^exec: Deno may not set LD_PRELOAD for a child: .* \(NotCapable\)$/)
  expect(missing?.reason).toMatchObject({ _tag: "NotFound", path: "no-such-program" })
})

it("names the permission of Deno that a terminal needs, and not another", () => {
  const error = Object.assign(new Error("Requires write access, run again with the --allow-write flag"), {
    name: "NotCapable",
  })
  expect(fault(error).message).toBe(
    'exec: "tool" was not started, because Deno lacks a permission: start it with --allow-write (NotCapable)',
  )
})

const fault = (error: unknown, context: Partial<SpawnContext> = {}) =>
  faultOfSpawnError(error, { exec: ShellExec.make("tool"), executable: "tool", ...context })

const withCode = (code: string, message = code) => Object.assign(new Error(message), { code })

it("maps codes that tests cannot provoke", () => {
  const table: ReadonlyArray<readonly [string, FaultReason]> = [
    ["ENFILE", { _tag: "ResourceExhausted", resource: "file descriptors", code: "ENFILE" }],
    ["ENOMEM", { _tag: "ResourceExhausted", resource: "memory", code: "ENOMEM" }],
    ["EPERM", { _tag: "PermissionDenied", path: "tool", code: "EPERM" }],
    ["EBUSY", { _tag: "PermissionDenied", path: "tool", code: "EBUSY" }],
    ["EFTYPE", { _tag: "InvalidRequest", field: "command", code: "EFTYPE" }],
    ["EIO", { _tag: "Unknown", code: "EIO" }],
    ["constructor", { _tag: "Unknown", code: "constructor" }],
  ]
  for (const [code, reason] of table) expect(fault(withCode(code)).reason).toEqual(reason)
})

it("reads the error numbers of Windows in Deno's messages", () => {
  const table: ReadonlyArray<readonly [number, string]> = [
    [2, "ENOENT"],
    [5, "EACCES"],
    [193, "ENOEXEC"],
    [206, "E2BIG"],
    [740, "EACCES"],
    [1455, "ENOMEM"],
  ]
  for (const [number, code] of table) {
    const error = new Error(`Failed to spawn 'tool': something in any language (os error ${number})`)
    expect(fault(error, { platform: "windows" }).reason).toMatchObject({ code })
  }
  // The same number means another thing elsewhere.
  expect(fault(new Error("Failed to spawn 'tool': … (os error 8)")).reason).toMatchObject({ code: "ENOEXEC" })
})

it("recognizes the messages of the runtimes on Windows", () => {
  // As Deno 2.9.5, Bun 1.4.5 and Node 26 for Windows threw it, under Wine 10.
  const executable = "Z:\\w\\x.exe"
  const command = { _tag: "NotFound", what: "command", path: executable, code: "ENOENT" }
  const file: Partial<SpawnContext> = { cwd: "Z:\\w\\file", cwdIs: "file", executableIs: "executable" }
  const directory = { _tag: "NotFound", what: "workingDirectory", path: "Z:\\w\\file", code: "ENOTDIR" }
  const table: ReadonlyArray<readonly [unknown, object, Partial<SpawnContext>?]> = [
    [new Error(`Failed to spawn '${executable}': File not found`), command],
    [withCode("ENOENT", `ENOENT: no such file or directory, uv_spawn '${executable}'`), command],
    [withCode("ENOENT", `spawn ${executable} ENOENT`), command],
    [withCode("ENOENT", `Failed to spawn '${executable}': cwd is not a directory 'Z:\\w\\file'`), directory, file],
    [withCode("ENOENT", `spawn ${executable} ENOENT`), directory, file],
    [new Error(`Failed to spawn '${executable}': Bad EXE format for %1. (os error 193)`), { code: "ENOEXEC" }],
    [withCode("EFTYPE", "EFTYPE: inappropriate file type or format, uv_spawn"), { code: "EFTYPE" }],
    [
      new Error(`Failed to spawn '${executable}': nul byte found in provided data`),
      { _tag: "InvalidRequest", code: "EINVAL" },
    ],
    [
      withCode("ERR_INVALID_ARG_VALUE", "The argument 'args[1]' contains a cmd.exe special character and cannot …"),
      { _tag: "InvalidRequest", field: "arguments" },
    ],
    [withCode("EINVAL", "spawn EINVAL"), { _tag: "InvalidRequest", field: "command" }],
  ]
  for (const [error, reason, context] of table) {
    expect(fault(error, { platform: "windows", executable, ...context }).reason).toMatchObject(reason)
  }
})

it("says that a directory may not be entered", () => {
  const { message, reason } = fault(withCode("EACCES"), { cwd: "/root", cwdIs: "file", executableIs: "executable" })
  expect(reason).toEqual({ _tag: "PermissionDenied", path: "/root", code: "EACCES" })
  expect(message).toBe('exec: permission denied to enter "/root" (EACCES)')
})

it("takes a name that is too long for the command line on Windows", () => {
  const exec = ShellExec.make("tool", ["x".repeat(40_000)])
  const { reason } = fault(withCode("ENAMETOOLONG"), { exec, platform: "windows", executable: "C:\\tool.exe" })
  expect(reason).toEqual({ _tag: "InvalidRequest", field: "arguments", code: "ENAMETOOLONG" })
  const cwd = { cwd: `/${"x".repeat(300)}` }
  expect(fault(withCode("ENAMETOOLONG"), cwd).reason).toMatchObject({ field: "workingDirectory" })
})

it("maps anything thrown to a fault that describes it", () => {
  const hostile = {
    toString: () => {
      throw new Error("no")
    },
  }
  for (const thrown of ["text", 3, null, undefined, Symbol("s"), Object.create(null), hostile, new Error("x")]) {
    const { exception, message, reason } = fault(thrown)
    expect(reason).toEqual({ _tag: "Unknown" })
    expect(message).toBe('exec: "tool" could not be started (UNKNOWN)')
    expect(exception?.length).toBeGreaterThan(0)
  }
  const first = fault(new Error("x"))
  expect(fault(first)).toBe(first)
})

it("never repeats a secret that the runtime repeats", () => {
  const secret = Redacted.make("hunter2")
  const exec = ShellExec.make("tool", [secret], { env: { TOKEN: Redacted.make("swordfish") }, input: secret })
  const error = withCode("EIO", "tool hunter2 and swordfish failed")
  expect(fault(error, { exec }).exception).toBe("Error: tool <redacted> and <redacted> failed")
  const refused = withCode("ERR_INVALID_ARG_VALUE", "The argument 'args[0]' … Received 'hunter\\x00two'")
  expect(fault(refused, { exec }).exception).not.toContain("hunter")
})

it("finds the interpreter in a script's first line", () => {
  expect(scriptInterpreter("#!/usr/bin/env node\n")).toBe("/usr/bin/env")
  expect(scriptInterpreter("#! \t/bin/sh")).toBe("/bin/sh")
  expect(scriptInterpreter("#!/bin/sh\r\n")).toBe("/bin/sh\r")
  expect(scriptInterpreter("echo\n#!/bin/sh\n")).toBeUndefined()
  expect(scriptInterpreter("\x7fELF")).toBeUndefined()
})
