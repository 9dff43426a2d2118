import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { type IsolationLauncher, launcherWords } from "../../../src/leaves/isolated/launcher.ts"
import { unshareEngine } from "../../../src/leaves/isolated/unshareEngine.ts"
import { isolationWorks } from "../../support/isolation.ts"
import { workshop } from "../../support/workshop.ts"

const launchers: ReadonlyArray<IsolationLauncher> = [{ kind: "perl", path: "/usr/bin/perl" }, {
  kind: "sh",
  path: "/bin/sh",
}]

const ended = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { status, stderr, stdout } = spawnSync(file, args, { encoding: "utf8", env })
  return [status, stdout + stderr]
}

// A command of another leaf may swap a folder for a link while an engine looks at paths.
describe.runIf(isolationWorks)("mounts below writable folders", () => {
  it.live.each(launchers)("is checked before the command by %s", (launcher) =>
    Effect.gen(function* () {
      const { makeDirectory } = yield* workshop
      const [folder, outside] = [makeDirectory("writable"), makeDirectory("outside")]
      const inner = makeDirectory("writable/a \\ b")
      const run = (binds: ReadonlyArray<string>) =>
        ended("/bin/sh", [
          ...["-c", 'exec 8>/dev/null; exec "$@"', "sh", "bwrap", "--ro-bind", "/", "/", "--bind", folder, folder],
          ...[...binds, "--dev", "/dev", "--proc", "/proc", "--"],
          ...launcherWords(launcher, {
            arch: process.arch,
            variables: 0,
            name: "echo",
            file: "/bin/echo",
            filter: false,
            socket: undefined,
            onTerminal: false,
            bound: [inner],
          }),
          "ran",
        ], { PATH: "/usr/bin:/bin" })
      expect(run(["--bind", inner, inner])).toEqual([0, "ran\n"])
      const refusal = [
        125,
        expect.stringMatching(/^sluice: .*\/writable\/a.* was replaced while the isolation was set up\n$/),
      ]
      expect(run(["--bind", outside, inner])).toEqual(refusal)
      expect(run([])).toEqual(refusal)
    }))

  it.live("is checked by the script of unshare, which makes nothing outside", () =>
    Effect.gen(function* () {
      const { exists, makeDirectory, path } = yield* workshop
      const [folder, outside, rootPath] = [makeDirectory("writable"), makeDirectory("outside"), makeDirectory("root")]
      symlinkSync(outside, `${folder}/swapped`)
      const walls = unshareEngine({
        ...{ shell: "/bin/sh", unshare: "/usr/bin/unshare", setpriv: "/usr/bin/setpriv", arch: process.arch },
        launcher: { kind: "sh", path: "/bin/sh" },
        mounts: () => [
          { _tag: "ReadOnly", path: "/" },
          { _tag: "Writable", path: folder },
          { _tag: "Writable", path: `${folder}/swapped` },
          { _tag: "Writable", path: `${folder}/swapped/made` },
        ],
        ...{ maxTmpBytes: 65_536, filterPath: undefined, rootPath },
        ...{ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      })
      const { args, env, file } = walls.build(
        {
          ...{ file: "/bin/echo", args: ["ran"], cwd: "/", stdin: "null", stdout: "piped", stderr: "piped" },
          ...{ detached: false, verbatim: false, env: { clear: true, set: {} } },
        },
        ...["/", "/dev/null", undefined] as const,
      )
      expect(ended(file, args, env)).toEqual([
        125,
        `sluice: ${folder}/swapped was replaced while the isolation was set up\n`,
      ])
      expect([exists("outside/made"), path("outside") === outside]).toEqual([false, true])
    }))
})
