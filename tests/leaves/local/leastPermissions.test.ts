import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import { FaultReason, ShellExec, type ShellExecOptions } from "@sluice/shell"
import { pause } from "../../support/eventually.ts"
import { scriptAnswer } from "../../support/script.ts"
import { workshop } from "../../support/workshop.ts"
import { runtime } from "./rawSpawn.ts"

const Answer = Schema.Struct({
  capabilities: Schema.Struct({
    groupKill: Schema.String,
    escapees: Schema.Boolean,
    orphans: Schema.Boolean,
    exactOrder: Schema.Boolean,
    limits: Schema.Array(Schema.String),
    resolvesPath: Schema.Boolean,
  }),
  results: Schema.Array(Schema.Struct({
    stdout: Schema.String,
    exitCode: Schema.optionalKey(Schema.Int),
    executable: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(FaultReason.FaultReason),
    message: Schema.optionalKey(Schema.String),
  })),
})

const fixture = new URL("./leastPermissions.fixture.ts", import.meta.url)
const family = fileURLToPath(new URL("../../fixtures/family.sh", import.meta.url))
const members = ["child", "grandchild", "stubborn", "escapee", "orphan", "bare", "rabbit"]

/** Runs commands in a process of their own, which has these permissions only. */
const under = (permissions: ReadonlyArray<string>, ...execs: ReadonlyArray<ShellExec>) =>
  Effect.promise(() => {
    const encoded = execs.map((exec) => JSON.stringify(Schema.encodeSync(ShellExec)(exec)))
    return scriptAnswer(Answer, fixture, encoded, { permissions })
  })

const inSh = (script: string, options?: ShellExecOptions): ShellExec => ShellExec.make("sh", ["-c", script], options)
const version = ShellExec.make("git", ["--version"])
const denied = (path: string) => ({ reason: { _tag: "PermissionDenied", path, code: "NotCapable" } })

/** Cancels a family as soon as all of its members run, and tells which live on. */
const whoSurvives = (permissions: ReadonlyArray<string>, command: "sh" | "family") =>
  Effect.gen(function* () {
    const { directory, size } = yield* workshop
    const options = { commandId: "abort-family", grace: "300 millis" } as const
    const exec = command === "sh"
      ? ShellExec.make("sh", [family, directory, ...members], options)
      : ShellExec.make(family, [directory, ...members], options)
    const { capabilities, results: [result] } = yield* under(permissions, exec)
    expect(result).toMatchObject({ reason: { _tag: "Cancelled" }, stdout: "ready\n" })
    const before = members.map(size)
    expect(Math.min(...before)).toBeGreaterThan(0)
    yield* pause(300)
    return { capabilities, survivors: members.filter((member, index) => size(member) !== before[index]) }
  })

describe.runIf(runtime === "deno" && process.platform === "linux")(
  runtime === "deno" ? "least permissions on Deno" : "least permissions on Deno: left out, this runtime is another",
  { concurrent: true },
  () => {
    it.live("--allow-run=git runs only git, and reports that it cannot end trees", () =>
      Effect.gen(function* () {
        const { capabilities, results } = yield* under(
          ["--allow-run=git"],
          version,
          inSh("echo never"),
          ShellExec.shell("echo never"),
          ShellExec.make("git", ["--version"], { mergeStreams: true }),
          ShellExec.make("git", ["--version"], { limits: { cpuSeconds: 5 } }),
          ShellExec.make("no-such-program"),
        )
        expect(capabilities).toEqual({
          groupKill: "none",
          escapees: false,
          orphans: false,
          exactOrder: false,
          limits: [],
          resolvesPath: false,
        })
        expect(results).toMatchObject([
          { exitCode: 0, executable: "git" },
          denied("sh"),
          denied("/bin/sh"),
          denied("/bin/sh"),
          { reason: { _tag: "InvalidRequest", field: "limits.cpuSeconds", code: "ENOTSUP" } },
          { reason: { _tag: "NotFound", what: "command", code: "ENOENT" } },
        ])
        expect(results[0]?.stdout).toMatch(/^git version/)
      }))

    it.live("--allow-run=PROGRAM ends only the process that it started, and reports that limit", () =>
      Effect.gen(function* () {
        const { capabilities, survivors } = yield* whoSurvives([`--allow-run=${family}`], "family")
        expect(capabilities).toMatchObject({ groupKill: "none", escapees: false })
        expect(survivors).toEqual(members)
      }))

    it.live("--allow-run=sh is enough to end whole trees, to run scripts and to merge streams", () =>
      Effect.gen(function* () {
        const { capabilities, survivors } = yield* whoSurvives(["--allow-run=sh"], "sh")
        expect(capabilities).toMatchObject({ groupKill: "helper", escapees: true, orphans: true, exactOrder: true })
        expect(survivors).toEqual([])
        const { results } = yield* under(
          ["--allow-run=sh"],
          ShellExec.shell("echo a | tr a b"),
          inSh("echo a; echo b >&2; echo c", { mergeStreams: true }),
          inSh("pwd", { cwd: "/" }),
          inSh("pwd", { cwd: "/no/such/directory" }),
        )
        expect(results).toMatchObject([
          { stdout: "b\n", exitCode: 0 },
          { stdout: "a\nb\nc\n", exitCode: 0 },
          { stdout: "/\n", exitCode: 0 },
          { reason: { _tag: "NotFound", what: "workingDirectory", path: "/no/such/directory" } },
        ])
      }))

    it.live("--allow-run for all ends whole trees, through sh; with all permissions the leaf does it itself", () =>
      Effect.gen(function* () {
        const helped = yield* whoSurvives(["--allow-run"], "sh")
        expect(helped.capabilities).toMatchObject({ groupKill: "helper", escapees: true, orphans: true })
        const native = yield* whoSurvives(["--allow-all"], "sh")
        const all = { groupKill: "native", escapees: true, orphans: true, resolvesPath: true }
        expect(native.capabilities).toMatchObject(all)
        expect([helped.survivors, native.survivors]).toEqual([[], []])
      }))

    it.live("without --allow-env children inherit, and no variable of an unreadable environment can be taken away", () =>
      Effect.gen(function* () {
        const { results } = yield* under(
          ["--allow-run=sh"],
          inSh('echo "${HOME:+inherited} $A"', { env: { A: "added" } }),
          inSh('echo "${HOME-cleared} $A"', { env: { A: "only" }, extendEnv: false }),
          inSh("echo never", { env: { HOME: null } }),
          inSh("echo never", { localBin: true }),
          inSh("echo never", { env: { LD_PRELOAD: "/x.so" } }),
        )
        expect(results).toMatchObject([
          { stdout: "inherited added\n" },
          { stdout: "cleared only\n" },
          denied("environment"),
          denied("PATH"),
          denied("sh"),
        ])
      }))

    it.live("--allow-env lets variables be taken away; --allow-env=PATH is enough for localBin", () =>
      Effect.gen(function* () {
        const removing = inSh('echo "${HOME-removed}"', { env: { HOME: null } })
        const all = yield* under(["--allow-run=sh", "--allow-env"], removing)
        expect(all.results).toMatchObject([{ stdout: "removed\n" }])
        const local = inSh("case $PATH in /*/node_modules/.bin:*:/*) echo first;; esac", { localBin: true })
        const some = yield* under(["--allow-run=sh", "--allow-env=PATH"], local, removing)
        expect(some.results).toMatchObject([{ stdout: "first\n" }, denied("environment")])
      }))

    it.live("--allow-run for all lets the loader's variables be set", () =>
      Effect.gen(function* () {
        const exec = inSh("echo $LD_LIBRARY_PATH", { env: { LD_LIBRARY_PATH: "/nowhere" } })
        expect((yield* under(["--allow-run"], exec)).results).toMatchObject([{ stdout: "/nowhere\n" }])
        expect((yield* under(["--allow-run=sh"], exec)).results).toMatchObject([denied("sh")])
      }))

    it.live("--allow-read distinguishes a script's missing interpreter from a missing script", () =>
      Effect.gen(function* () {
        const { path, write } = yield* workshop
        write("bad", "#!/no/such/interpreter\n", 0o755)
        write("plain", "", 0o644)
        const run = `--allow-run=${path("bad")},${path("plain")}`
        const execs = [ShellExec.make(path("bad")), ShellExec.make(path("plain"))]
        const seeing = yield* under([run, "--allow-read"], ...execs)
        expect(seeing.results).toMatchObject([
          { reason: { _tag: "NotFound", what: "interpreter", path: "/no/such/interpreter" } },
          { reason: { _tag: "PermissionDenied", path: path("plain"), code: "EACCES" } },
        ])
        const blind = yield* under([run], ...execs)
        expect(blind.results).toMatchObject([
          { reason: { _tag: "NotFound", what: "command", path: path("bad") } },
          { reason: { _tag: "PermissionDenied", path: path("plain"), code: "EACCES" } },
        ])
      }))

    it.live.runIf(process.getuid?.() === 0)(
      "--allow-sys=uid allows the limit of processes, for users other than root",
      () =>
        Effect.gen(function* () {
          const before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
          const limits = async (...more: ReadonlyArray<string>) => {
            const permissions = ["--allow-run=sh,prlimit", "--allow-read", ...more]
            const { capabilities } = await scriptAnswer(Answer, fixture, [], { permissions, before })
            return capabilities.limits
          }
          expect(yield* Effect.promise(() => limits("--allow-sys=uid"))).toContain("processes")
          expect(yield* Effect.promise(() => limits())).not.toContain("processes")
        }),
    )

    it.live("--allow-read makes names full paths; with prlimit allowed, limits are enforced", () =>
      Effect.gen(function* () {
        const { capabilities, results } = yield* under(
          ["--allow-run=git,prlimit", "--allow-read"],
          version,
          ShellExec.make("git", ["--version"], { limits: { cpuSeconds: 5 } }),
          ShellExec.make("no-such-program"),
        )
        expect(capabilities.resolvesPath).toBe(true)
        expect(capabilities.limits).toEqual(["memoryBytes", "cpuSeconds", "fileSizeBytes"])
        expect(results).toMatchObject([
          { exitCode: 0, executable: expect.stringMatching(/^\/.*\/git$/) },
          { exitCode: 0, executable: expect.stringMatching(/^\/.*\/git$/) },
          { reason: { _tag: "NotFound", what: "command", path: "no-such-program" } },
        ])
      }))
  },
)
