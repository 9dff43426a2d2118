/** The profile of macOS as text: which rule decides about a path. */
import { expect, test } from "@effect/vitest"
import { Effect } from "effect"
import type { Mount } from "../../../src/leaves/isolated/Mount.ts"
import { seatbeltEngine } from "../../../src/leaves/isolated/seatbeltEngine.ts"
import { seatbeltProfile } from "../../../src/leaves/isolated/seatbeltProfile.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { IsolatedHost } from "../../../src/leaves/isolated/IsolatedHost.ts"
import { IsolatedShell } from "../../../src/leaves/isolated/mod.ts"

const mounts: ReadonlyArray<Mount> = [
  { _tag: "ReadOnly", path: "/usr" },
  { _tag: "Link", path: "/etc", target: "/private/etc" },
  { _tag: "Private", path: "/private/tmp" },
  { _tag: "Private", path: "/Users/me" },
  { _tag: "Writable", path: "/Users/me/work" },
  { _tag: "Writable", path: "/Users/me/work/.git" },
  { _tag: "ReadOnly", path: "/Users/me/work/.env" },
  { _tag: "ReadOnly", path: "/Users/me/work/.git/hooks" },
  { _tag: "Hidden", path: "/Users/me/work/secret", directory: true },
]
const profile = seatbeltProfile(mounts, "/private/var/folders/x/root")

const matches = (filter: string, path: string): boolean => {
  const [, kind, quoted = ""] = /^\((subpath|literal) ("(?:[^"\\]|\\.)*")\)$/.exec(filter) ?? []
  const named: unknown = kind === undefined ? undefined : JSON.parse(quoted)
  return typeof named === "string" &&
    (path === named || (kind === "subpath" && path.startsWith(named === "/" ? "/" : `${named}/`)))
}

/** The answer of the last rule that matches, as sandbox(7) decides. */
const decide = (text: string, operation: string, path: string): string => {
  let answer = "deny"
  for (const line of text.split("\n")) {
    const [, verb, rest = ""] = /^\((allow|deny) (.*)\)$/.exec(line) ?? []
    if (verb === undefined) continue
    const filters = rest.match(/\((?:subpath|literal) "(?:[^"\\]|\\.)*"\)/g) ?? []
    const operations = rest.replace(/ ?\(.*/, "").split(" ")
    const named = operations.some((each) =>
      each === operation || (each.endsWith("*") && operation.startsWith(each.slice(0, -1)))
    )
    if (named && (filters.length === 0 || filters.some((filter) => matches(filter, path)))) answer = verb
  }
  return answer
}

const rights = (path: string): string =>
  [["file-read-data", "r"], ["file-write-data", "w"], ["file-write-unlink", "u"]]
    .map(([operation = "", letter]) => decide(profile, operation, path) === "allow" ? letter : "-").join("")

test("decides about files as the mounts do, also about missing ones", () => {
  const expected: Readonly<Record<string, string>> = {
    "/usr/bin/env": "r--",
    "/private/tmp/x": "---",
    "/Users/me/.bashrc": "---",
    "/Users/me/work": "rw-",
    "/Users/me/work/file": "rwu",
    "/Users/me/work/.git": "rw-",
    "/Users/me/work/.git/index": "rwu",
    "/Users/me/work/.git/hooks": "r--",
    "/Users/me/work/.git/hooks/pre-commit": "r--",
    "/Users/me/work/.env": "r--",
    "/Users/me/work/.envrc": "rwu",
    "/Users/me/work/secret/key": "---",
    "/private/var/folders/x/root/t": "rwu",
    "/private/var/folders/x/other": "---",
    "/Volumes/other": "---",
    "/private/var/run/docker.sock": "---",
  }
  expect(Object.fromEntries(Object.keys(expected).map((path) => [path, rights(path)]))).toEqual(expected)
  expect(decide(profile, "network-outbound", "/private/var/run/docker.sock")).toBe("deny")
  expect(decide(profile, "mach-lookup", "com.apple.anything")).toBe("deny")
})

test("a path cannot end its quotes", () => {
  const evil = '/w/a")) (allow default) (subpath "\\'
  const text = seatbeltProfile([{ _tag: "Hidden", path: evil, directory: true }], "/t")
  expect(decide(text, "file-read-data", `${evil}/x`)).toBe("deny")
  expect(text).toContain(String.raw`(subpath "/w/a\")) (allow default) (subpath \"\\")`)
})

test("the engine starts the command itself, with a temporary folder of its own", () => {
  const host = findHost()
  if (host === undefined) throw new Error("no host")
  const walls = seatbeltEngine(host, { program: "/usr/bin/sandbox-exec", mounts: () => mounts, temporary: "/none/t" })
  const request = {
    file: "/bin/ls",
    args: ["-l", "a b"],
    cwd: "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  } as const
  const env = { clear: true, set: { A: "1" } }
  const command = walls.build({ ...request, env, detached: true, verbatim: false }, "/", "/dev/null", undefined)
  expect(command).toEqual({
    file: "/usr/bin/sandbox-exec",
    args: ["-p", seatbeltProfile(mounts, "/none/t"), "/bin/ls", "-l", "a b"],
    env: { A: "1", TMPDIR: "/none/t" },
  })
})

test("runs nothing where it does not work", async () => {
  const host = findHost()
  if (host === undefined) throw new Error("no host")
  const make = (options: IsolatedShell.IsolatedShellOptions): Promise<unknown> =>
    Effect.runPromise(
      Effect.flip(Effect.scoped(IsolatedShell.make(options))).pipe(
        Effect.provideService(IsolatedHost, {
          ...host,
          os: "darwin",
          fileKind: (path) => path.endsWith("sandbox-exec") ? "executable" : host.fileKind(path),
        }),
      ),
    )
  expect(await make({})).toMatchObject({ _tag: "IsolationError", attempts: [{ engine: "sandbox-exec" }] })
  expect(await make({ network: { allow: ["a.example"] } })).toMatchObject({
    attempts: [{ engine: "sandbox-exec", message: "a network by names needs Linux" }],
  })
})
