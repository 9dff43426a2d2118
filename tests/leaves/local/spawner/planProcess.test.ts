import { expect, it } from "@effect/vitest"
import type * as PlatformError from "effect/PlatformError"
import { ChildProcess } from "effect/process"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { findHost } from "../../../../src/host/findHost.ts"
import type { Host, SpawnRequest } from "../../../../src/host/Host.ts"
import { makeResolver } from "../../../../src/leaves/local/plan/makeResolver.ts"
import type { FileKind } from "../../../../src/host/resolveExecutable.ts"
import { planProcess } from "../../../../src/leaves/local/spawner/planProcess.ts"

const { make } = ChildProcess

interface World {
  readonly os?: Host["os"]
  readonly files?: Readonly<Record<string, FileKind>>
  /** What a path is that is not among the files. */
  readonly others?: FileKind
  readonly variables?: Readonly<Record<string, string>>
  readonly readsEnvironment?: boolean
}

const hostOf = (
  { files = {}, os = "linux", others = "none", readsEnvironment = true, variables = {} }: World,
): Host => {
  const here = findHost()
  if (here === undefined) throw new Error("no host")
  return {
    ...here,
    os,
    spawn: () => {
      throw new Error("a plan starts nothing")
    },
    environment: () => readsEnvironment ? variables : undefined,
    variable: (name) => variables[name],
    cwd: () => os === "windows" ? "C:\\here" : "/here",
    fileKind: (path) => files[path] ?? others,
  }
}

const plan = (command: ChildProcess.StandardCommand, world: World) => {
  const host = hostOf(world)
  const platform = host.os === "windows" ? "windows" : "posix"
  return planProcess(command, { host, platform, resolve: makeResolver(), marker: "mark" })
}

const requestOf = (command: ChildProcess.StandardCommand, world: World): SpawnRequest =>
  Result.getOrThrow(plan(command, world))

const errorOf = (command: ChildProcess.StandardCommand, world: World): PlatformError.PlatformError =>
  Result.getOrThrow(Result.flip(plan(command, world)))

const linux: World = {
  files: {
    "/bin/tool": "executable",
    "/bin/sh": "executable",
    "/here/sub": "directory",
    "/here/sub/tool": "executable",
  },
  variables: { PATH: "/usr/bin:/bin", HOME: "/home/me" },
}

const windows: World = {
  os: "windows",
  files: {
    "C:\\bin\\tool.exe": "executable",
    "C:\\bin\\npm.cmd": "executable",
    "C:\\bin\\bash.exe": "executable",
    "C:\\Windows\\System32\\cmd.exe": "executable",
  },
  variables: {
    PATH: "C:\\bin",
    SystemRoot: "C:\\Windows",
    ComSpec: "C:\\Windows\\System32\\cmd.exe",
    PATHEXT: ".EXE;.CMD",
  },
}

it("finds the program, and passes it the name it was called by", () => {
  expect(requestOf(make("tool", ["a b", Redacted.make("secret")]), linux)).toMatchObject({
    file: "/bin/tool",
    argv0: "tool",
    args: ["a b", "secret"],
    cwd: undefined,
    verbatim: false,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    extra: undefined,
    detached: true,
    hide: false,
  })
})

it("looks for a relative program in the directory of the child, as execvp(3) does after chdir(2)", () => {
  expect(requestOf(make("./tool", [], { cwd: "sub" }), linux)).toMatchObject({
    file: "/here/sub/tool",
    cwd: "/here/sub",
  })
  expect(errorOf(make("./tool"), linux).reason._tag).toBe("NotFound")
})

it("passes the name on if PATH cannot be searched", () => {
  expect(requestOf(make("tool", [], { cwd: "/x" }), { others: "unknown" })).toMatchObject({ file: "tool", cwd: "/x" })
})

it("marks the child, and a child of a child with both marks", () => {
  expect(requestOf(make("tool"), linux).env).toMatchObject({ clear: false, set: { SLUICE_RUN: "mark" } })
  const within = { ...linux, variables: { ...linux.variables, SLUICE_RUN: "outer" } }
  expect(requestOf(make("/bin/tool", [], { env: {} }), within).env).toMatchObject({
    clear: true,
    set: { SLUICE_RUN: "outer:mark" },
  })
})

it("lists all other variables to remove one, and refuses if it cannot read them", () => {
  const command = make("tool", [], { env: { HOME: undefined, A: "1" }, extendEnv: true })
  expect(requestOf(command, linux).env).toEqual({
    clear: true,
    set: { PATH: "/usr/bin:/bin", A: "1", SLUICE_RUN: "mark" },
  })
  const error = errorOf(command, { ...linux, readsEnvironment: false })
  expect([error.reason._tag, error.message]).toEqual([
    "BadArgument",
    "ChildProcess.spawn: The variable HOME cannot be removed: the environment may not be read here",
  ])
})

it("asks for descriptors by their numbers, with none between", () => {
  const command = make("tool", [], {
    stdin: "ignore",
    stdout: "inherit",
    additionalFds: { fd5: { type: "output" }, fd3: { type: "input" } },
  })
  expect(requestOf(command, linux)).toMatchObject({
    stdin: "null",
    stdout: "inherit",
    extra: ["piped", "null", "piped"],
  })
})

it("refuses a secret whose value was lost", () => {
  const lost = Redacted.make("gone")
  Redacted.wipeUnsafe(lost)
  expect(errorOf(make("tool", [lost]), linux).message).toBe(
    "ChildProcess.spawn: Argument 1 is a secret without its value",
  )
})

it("refuses names that no variable can have", () => {
  for (const name of ["", "a=b"]) {
    expect(errorOf(make("tool", [], { env: { [name]: "x" }, extendEnv: true }), linux).reason._tag).toBe("BadArgument")
  }
})

it("is attached and hidden by default on Windows", () => {
  expect(requestOf(make("tool"), windows)).toMatchObject({
    file: "C:\\bin\\tool.exe",
    detached: false,
    hide: true,
    job: true,
  })
  expect(requestOf(make("tool", [], { detached: true }), windows)).toMatchObject({
    detached: true,
    hide: false,
    job: false,
  })
  expect(requestOf(make("tool", [], { detached: true, windowsHide: true }), windows)).toMatchObject({ hide: true })
})

it("passes the script to cmd.exe unchanged, and to other shells with -c", () => {
  expect(requestOf(make('echo "a" & ver', { shell: true }), windows)).toMatchObject({
    file: "C:\\Windows\\System32\\cmd.exe",
    args: ["/d", "/s", "/c", '"echo "a" & ver"'],
    verbatim: true,
  })
  expect(requestOf(make("echo $0", { shell: "bash" }), windows)).toMatchObject({
    file: "C:\\bin\\bash.exe",
    args: ["-c", "echo $0"],
    verbatim: false,
  })
})

it("starts a batch file through cmd.exe with unchanged arguments", () => {
  const request = requestOf(make("npm", ["a b", "%PATH%"]), windows)
  expect(request).toMatchObject({ file: "C:\\Windows\\System32\\cmd.exe", verbatim: true })
  // cmd.exe puts nothing in the place of `%cd:~,%`, and so never sees a variable's name.
  expect(request.args.at(-1)).toBe('""C:\\bin\\npm.cmd" "a b" "%%cd:~,%PATH%%cd:~,%""')
  expect(errorOf(make("npm", ["a\nb"]), windows).reason._tag).toBe("BadArgument")
})
