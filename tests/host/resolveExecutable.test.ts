import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lookupIn } from "../../src/host/environment.ts"
import {
  executableKind,
  type FileKind,
  type FileProbe,
  localBinDirectories,
  resolveExecutable,
} from "../../src/host/resolveExecutable.ts"
import { baseName, isPath, type Platform, selfAndParents, toAbsolute } from "../../src/host/paths.ts"

/** A file system of a few paths; asks are remembered. */
const disk = (platform: Platform, files: Record<string, FileKind>) => {
  const asked: Array<string> = []
  const key = (path: string) => platform === "windows" ? path.toLowerCase() : path
  const at = new Map(Object.entries(files).map(([path, is]) => [key(path), is]))
  const probe: FileProbe = {
    fileKind: (path) => {
      asked.push(path)
      return at.get(key(path)) ?? "none"
    },
  }
  return { probe, asked }
}

const posix = (name: string, files: Record<string, FileKind>, environment: Record<string, string> = {}) =>
  resolveExecutable({
    platform: "posix",
    name,
    directory: "/home/me",
    environment: lookupIn("posix", environment),
    probe: disk("posix", files).probe,
  })

const windows = (name: string, files: Record<string, FileKind>, environment: Record<string, string> = {}) =>
  resolveExecutable({
    platform: "windows",
    name,
    directory: "C:\\work",
    environment: lookupIn("windows", environment),
    probe: disk("windows", files).probe,
  })

const found = (path: string, kind: string, verified = true) => ({ _tag: "Found", path, kind, verified })

it("takes the first of PATH that may be executed, and of the child's PATH", () => {
  const files = { "/a/git": "none", "/b/git": "executable", "/c/git": "executable" } as const
  expect(posix("git", files, { PATH: "/a:/b:/c" })).toEqual(found("/b/git", "posix"))
  expect(posix("git", files, { PATH: "/c:/b" })).toEqual(found("/c/git", "posix"))
})

it("skips files that are not executable, and remembers the first of them", () => {
  const files = { "/a/git": "file", "/b/git": "file", "/c/git": "executable" } as const
  expect(posix("git", files, { PATH: "/a:/b:/c" })).toEqual(found("/c/git", "posix"))
  expect(posix("git", files, { PATH: "/x:/a:/b" })).toEqual({ _tag: "NotExecutable", path: "/a/git", is: "file" })
})

it("names the searched directories when it finds nothing", () => {
  expect(posix("git", {}, { PATH: "/a:/b" })).toEqual({ _tag: "NotFound", path: "git", searched: ["/a", "/b"] })
})

it("searches the system's directories when PATH is not set", () => {
  expect(posix("ls", { "/bin/ls": "executable" })).toEqual(found("/bin/ls", "posix"))
  expect(posix("ls", {})).toMatchObject({ searched: ["/usr/local/bin", "/usr/bin", "/bin"] })
})

it("takes an empty entry of PATH for the current directory, wherever it stands", () => {
  const here = { "/home/me/tool": "executable" } as const
  for (const PATH of [":/a", "/a:", "/a::/b", ""]) {
    expect(posix("tool", here, { PATH })).toEqual(found("/home/me/tool", "posix"))
  }
})

it("resolves relative names and entries of PATH against the caller's directory", () => {
  const files = {
    "/home/me/x": "executable",
    "/home/me/bin/x": "executable",
    "/home/x": "executable",
    "/home/me/../x": "executable",
  } as const
  expect(posix("./x", files)).toEqual(found("/home/me/x", "posix"))
  expect(posix("bin/x", files)).toEqual(found("/home/me/bin/x", "posix"))
  expect(posix("../x", files)).toEqual(found("/home/me/../x", "posix"))
  expect(posix("x", files, { PATH: "bin" })).toEqual(found("/home/me/bin/x", "posix"))
  expect(posix("./nothing", files, { PATH: "bin" })).toEqual({
    _tag: "NotFound",
    path: "/home/me/nothing",
    searched: [],
  })
})

it("leaves the search to the runtime if it may not read a directory", () => {
  const files = { "/a/git": "unknown", "/b/git": "executable" } as const
  expect(posix("git", files, { PATH: "/a:/b" })).toEqual({ _tag: "Undecided", name: "git" })
  expect(posix("git", files, { PATH: "/b:/a" })).toEqual(found("/b/git", "posix"))
  expect(posix("./git", { "/home/me/git": "unknown" })).toEqual(found("/home/me/git", "posix", false))
})

it("finds nothing for an impossible file name", () => {
  expect(posix("", { "/a/": "executable" }, { PATH: "/a" })).toMatchObject({ _tag: "NotFound" })
  expect(posix("a\0b", { "/a/a\0b": "executable" }, { PATH: "/a" })).toMatchObject({ _tag: "NotFound" })
})

it("tries the endings of PATHEXT in their order within each directory of PATH", () => {
  const files = {
    "C:\\one\\tool.cmd": "executable",
    "C:\\one\\tool.exe": "executable",
    "C:\\two\\tool.com": "executable",
  } as const
  const PATH = "C:\\one;C:\\two"
  expect(windows("tool", files, { PATH, PATHEXT: ".COM;.EXE;.CMD" })).toEqual(found("C:\\one\\tool.exe", "exe"))
  expect(windows("tool", files, { PATH, PATHEXT: ".CMD;.EXE" })).toEqual(found("C:\\one\\tool.cmd", "batch"))
  expect(windows("tool", files, { PATH, PATHEXT: "" })).toEqual(found("C:\\one\\tool.exe", "exe"))
  expect(windows("tool", files, { PATH: "C:\\none;C:\\two" })).toEqual(found("C:\\two\\tool.com", "exe"))
})

it("reads PATH and PATHEXT whatever the case of their names", () => {
  const files = { "C:\\bin\\tool.cmd": "executable" } as const
  expect(windows("TOOL", files, { Path: "C:\\bin", PathExt: ".Cmd" })).toEqual(found("C:\\bin\\TOOL.cmd", "batch"))
})

it("takes the quotes off an entry of a Windows PATH and passes empty ones over", () => {
  const files = { "C:\\Program Files\\x\\tool.exe": "executable", "C:\\work\\tool.exe": "executable" } as const
  expect(windows("tool", files, { PATH: ';;"C:\\Program Files\\x";' })).toEqual(
    found("C:\\Program Files\\x\\tool.exe", "exe"),
  )
})

it("does not let a program in the current directory stand in for one of PATH on Windows", () => {
  const files = { "C:\\work\\git.exe": "executable", "C:\\bin\\git.exe": "executable" } as const
  expect(windows("git", files, { PATH: "C:\\bin" })).toEqual(found("C:\\bin\\git.exe", "exe"))
  expect(windows("git", files, { PATH: "C:\\none" })).toMatchObject({ _tag: "NotFound", searched: ["C:\\none"] })
  expect(windows(".\\git", files)).toEqual(found("C:\\work\\git.exe", "exe"))
})

it("passes over the script for sh that npm puts beside its .cmd", () => {
  const files = {
    "C:\\bin\\tsc": "executable",
    "C:\\bin\\tsc.cmd": "executable",
    "C:\\bin\\tsc.ps1": "executable",
    "C:\\bin\\a.b": "executable",
    "C:\\bin\\a.b.cmd": "executable",
  } as const
  expect(windows("tsc", files, { PATH: "C:\\bin" })).toEqual(found("C:\\bin\\tsc.cmd", "batch"))
  expect(windows("a.b", files, { PATH: "C:\\bin" })).toEqual(found("C:\\bin\\a.b.cmd", "batch"))
})

it("finds a script of PowerShell by its bare name, after each program of PATHEXT in its folder", () => {
  const files = {
    "C:\\one\\python.ps1": "executable",
    "C:\\two\\python.exe": "executable",
    "C:\\two\\python.ps1": "executable",
  } as const
  const script = found("C:\\one\\python.ps1", "powershell")
  expect(windows("python", files, { PATH: "C:\\one;C:\\two" })).toEqual(script)
  expect(windows("python", files, { PATH: "C:\\one", PATHEXT: ".COM;.EXE" })).toEqual(script)
  expect(windows("C:\\one\\python", files)).toEqual(script)
  expect(windows("python", files, { PATH: "C:\\two", PATHEXT: ".COM;.EXE" })).toEqual(
    found("C:\\two\\python.exe", "exe"),
  )
  expect(windows("python", files, { PATH: "C:\\two", PATHEXT: ".PS1;.EXE" })).toEqual(
    found("C:\\two\\python.ps1", "powershell"),
  )
})

it("first tries a name with a program's extension unchanged", () => {
  const files = {
    "C:\\bin\\a.exe": "executable",
    "C:\\bin\\a.exe.com": "executable",
    "C:\\bin\\b.ps1": "executable",
  } as const
  expect(windows("a.exe", files, { PATH: "C:\\bin" })).toEqual(found("C:\\bin\\a.exe", "exe"))
  expect(windows("b.ps1", files, { PATH: "C:\\bin" })).toEqual(found("C:\\bin\\b.ps1", "powershell"))
})

it("never takes an ending that CreateProcess cannot start from PATHEXT", () => {
  const files = { "C:\\bin\\a.js": "executable", "C:\\bin\\a.bat": "executable" } as const
  expect(windows("a", files, { PATH: "C:\\bin", PATHEXT: ".JS;.BAT" })).toEqual(found("C:\\bin\\a.bat", "batch"))
})

it("makes Windows paths absolute: relative, from the root of a drive, of another drive, of a share", () => {
  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["C:\\work", "x.exe", "C:\\work\\x.exe"],
    ["C:\\work", ".\\a/../x.exe", "C:\\work\\x.exe"],
    ["C:\\work", "..\\..\\..\\x.exe", "C:\\x.exe"],
    ["C:\\work", "\\x.exe", "C:\\x.exe"],
    ["C:\\work", "c:x.exe", "C:\\work\\x.exe"],
    ["C:\\work", "D:x.exe", "D:\\x.exe"],
    ["C:\\work", "D:/a//x.exe", "D:\\a\\x.exe"],
    ["C:\\work", "//server/share/a/x.exe", "\\\\server\\share\\a\\x.exe"],
    ["\\\\server\\share\\dir", "\\x.exe", "\\\\server\\share\\x.exe"],
    ["\\\\server\\share\\dir", "..\\..\\x.exe", "\\\\server\\share\\x.exe"],
    ["C:\\work", "\\\\?\\C:\\a\\..\\x.exe", "\\\\?\\C:\\a\\..\\x.exe"],
  ]
  for (const [directory, path, expected] of table) expect(toAbsolute("windows", directory, path)).toBe(expected)
})

it("keeps `..` in POSIX paths, where a symbolic link may stand before it", () => {
  expect(toAbsolute("posix", "/a", "././link/../x")).toBe("/a/link/../x")
  expect(toAbsolute("posix", "/", "x")).toBe("/x")
  expect(toAbsolute("posix", "/a", ".")).toBe("/a")
  expect(toAbsolute("posix", "/a", "/b//c")).toBe("/b//c")
})

it("knows paths from names, and the last part of a path", () => {
  expect(["a/b", "./a", "/a", "a", "a\\b", "C:a"].map((name) => isPath("posix", name))).toEqual(
    [true, true, true, false, false, false],
  )
  expect(["a/b", ".\\a", "C:a", "a", "a.b"].map((name) => isPath("windows", name))).toEqual(
    [true, true, true, false, false],
  )
  expect([baseName("posix", "/a/b\\c"), baseName("windows", "C:\\a/b"), baseName("posix", "b")]).toEqual(
    ["b\\c", "b", "b"],
  )
})

it("chooses by extension how a Windows file is started", () => {
  expect(["a.EXE", "a.com", "a.BAT", "a.cmd", "a.Ps1", "a", "C:\\x.cmd\\a"].map((f) => executableKind("windows", f)))
    .toEqual(["exe", "exe", "batch", "batch", "powershell", "exe", "exe"])
  expect(executableKind("posix", "/a.cmd")).toBe("posix")
})

it("lists node_modules/.bin of a directory and all above it, the nearest first", () => {
  expect(localBinDirectories("posix", "/a/b/")).toEqual([
    "/a/b/node_modules/.bin",
    "/a/node_modules/.bin",
    "/node_modules/.bin",
  ])
  expect(localBinDirectories("posix", "/")).toEqual(["/node_modules/.bin"])
  expect(localBinDirectories("windows", "C:\\a")).toEqual(["C:\\a\\node_modules\\.bin", "C:\\node_modules\\.bin"])
  expect(selfAndParents("windows", "\\\\s\\share\\a")).toEqual(["\\\\s\\share\\a", "\\\\s\\share\\"])
})

const isWindows = globalThis.process.platform === "win32"

it.skipIf(isWindows)("finds the same file as execvp in env(1), for every kind of PATH", () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-resolve-"))
  const probe: FileProbe = {
    fileKind: (path) => {
      try {
        if (!statSync(path).isFile()) return "file"
        accessSync(path, constants.X_OK)
        return "executable"
      } catch (error) {
        return error instanceof Error && "code" in error && error.code === "EACCES" ? "file" : "none"
      }
    },
  }
  try {
    for (const dir of ["a", "b", "c", "here"]) mkdirSync(join(root, dir))
    const script = (path: string, mode = 0o755) => {
      // Not written by this process: see the test of spawn errors.
      const write = 'printf \'#!/bin/sh\\necho "$0"\\n\' > "$1"; chmod "$2" "$1"'
      spawnSync("/bin/sh", ["-c", write, "sh", join(root, path), mode.toString(8)])
    }
    script("a/plain", 0o644)
    for (const path of ["b/plain", "b/tool", "c/tool", "here/tool", "here/plain"]) script(path)
    mkdirSync(join(root, "a/tool"))
    script("a/denied", 0o644)
    const [a, b, c] = ["a", "b", "c"].map((dir) => join(root, dir))
    const directory = join(root, "here")
    const paths = [
      `${a}:${b}`,
      `${b}:${a}`,
      `${c}:${b}`,
      `:${a}`,
      `${a}:`,
      `${a}::${c}`,
      "",
      "../c",
      `${a}/missing:../b`,
    ]
    for (const name of ["plain", "tool", "denied", "missing", "./tool", "../c/tool", "../a/denied"]) {
      for (const PATH of paths) {
        const ours = resolveExecutable({ platform: "posix", name, directory, environment: () => PATH, probe })
        const env = spawnSync("/usr/bin/env", ["-i", `PATH=${PATH}`, name], { cwd: directory, encoding: "utf8" })
        // The script prints its own path, relative where the entry of PATH is.
        const ran = toAbsolute("posix", directory, env.stdout.trim())
        const theirs = env.status === 126 ? "NotExecutable" : env.status === 127 ? "NotFound" : ran
        expect([name, PATH, ours._tag === "Found" ? ours.path : ours._tag]).toEqual([name, PATH, theirs])
      }
    }
  } finally {
    rmSync(root, { recursive: true })
  }
})
