import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { parseScriptOutput } from "../../src/branch/shellQuery.ts"
import {
  checkLiveness,
  currentHost,
  HostIdentity,
  judgeLiveness,
  type Liveness,
} from "../../src/branch/HostIdentity.ts"
import { eventually } from "../support/eventually.ts"
import { scriptAnswer, type ScriptOptions } from "../support/script.ts"

const fixture = new URL("./hostIdentity.fixture.ts", import.meta.url)

const Answer = Schema.Struct({ me: HostIdentity, again: Schema.String, others: Schema.Array(Schema.String) })

/** What another process says of itself, and of others. */
const elsewhere = (
  others: ReadonlyArray<HostIdentity | "edge">,
  options?: ScriptOptions,
): Effect.Effect<typeof Answer.Type> =>
  Effect.promise(() =>
    scriptAnswer(Answer, fixture, others.map((each) => each === "edge" ? each : JSON.stringify(each)), options)
  )

const isLinux = process.platform === "linux"
const isDeno = "Deno" in globalThis
const isRoot = process.getuid?.() === 0

/** Deno gives a child that names none all of its own. */
const nothing: ReadonlyArray<string> = ["--allow-env=NOTHING"]

/** Field 22 of its stat(5). */
const startOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[19] ?? ""

const started = (program: string, ...args: ReadonlyArray<string>): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error("it was not started")
  return pid
}

it.effect("is the same each time, comes back from its encoding, and is alive", () =>
  Effect.gen(function* () {
    const me = yield* currentHost
    expect(me.pid).toBe(process.pid)
    expect(yield* currentHost).toBe(me)
    const json = Schema.encodeSync(Schema.fromJsonString(HostIdentity))(me)
    const back = Schema.decodeSync(Schema.fromJsonString(HostIdentity))(json)
    expect(back).toEqual(me)
    expect(yield* checkLiveness(back)).toBe("alive")
  }))

describe.runIf(isLinux)("on Linux", () => {
  it.effect("equals the identity that the kernel reports", () =>
    Effect.gen(function* () {
      const me = yield* currentHost
      expect(me.processStart).toBe(startOf(process.pid))
      expect(me.bootId).toBe(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim())
      expect(me.pidNamespace).toMatch(/^pid:\[\d+\]$/)
      expect(me.host).toBe(readFileSync("/proc/sys/kernel/hostname", "utf8").trim())
    }))

  it.live("is dead when its process is dead, and alive until then, even if the process is stopped", () =>
    Effect.gen(function* () {
      const child = yield* started("sleep", "20")
      const pid = pidOf(child)
      yield* eventually("it runs", () => startOf(pid) !== "")
      const identity = { ...(yield* currentHost), pid, processStart: startOf(pid) }
      expect(yield* checkLiveness(identity)).toBe("alive")
      // Not by the child's own `kill`: on Deno that is good for one signal.
      process.kill(pid, "SIGSTOP")
      expect(yield* checkLiveness(identity)).toBe("alive")
      const exited = Effect.callback<void>((resume) => void child.once("exit", () => resume(Effect.void)))
      child.kill("SIGKILL")
      yield* exited
      expect(yield* checkLiveness(identity)).toBe("dead")
    }))

  it.effect("is dead when another process has its id", () =>
    Effect.gen(function* () {
      const me = yield* currentHost
      expect(yield* checkLiveness({ ...me, processStart: String(Number(me.processStart) - 1) })).toBe("dead")
      expect(yield* checkLiveness({ ...me, pid: 1, processStart: "0" })).not.toBe("alive")
    }))

  it.live("is dead when it is a zombie", () =>
    Effect.gen(function* () {
      // Its parent has become a program that never asks how it ended.
      const parent = yield* started("sh", "-c", "sleep 0.2 & exec sleep 20")
      const children = () => readFileSync(`/proc/${pidOf(parent)}/task/${pidOf(parent)}/children`, "utf8").trim()
      yield* eventually("it has a child", () => children() !== "")
      const pid = Number(children())
      const identity = { ...(yield* currentHost), pid, processStart: startOf(pid) }
      yield* eventually("it is a zombie", () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
      expect(startOf(pid)).toBe(identity.processStart)
      expect(yield* checkLiveness(identity)).toBe("dead")
    }))

  it.live("is alive to another process of the machine, and its identity is another's", () =>
    Effect.gen(function* () {
      const me = yield* currentHost
      const { me: other, others } = yield* elsewhere([me, { ...me, processStart: "1" }, { ...me, host: "x" }])
      expect(others).toEqual(["alive", "dead", "unknown"])
      expect({ ...other, pid: 0, processStart: "" }).toEqual({ ...me, pid: 0, processStart: "" })
      // It has ended by now.
      expect(yield* checkLiveness(other)).toBe("dead")
    }))

  it.live.runIf(isRoot)(
    "is unknown to a process of another container, also of the same name",
    () =>
      Effect.gen(function* () {
        const me = yield* currentHost
        const before = ["unshare", "--pid", "--fork", "--mount-proc"]
        const { again, me: inner, others } = yield* elsewhere([me, { ...me, pid: 999_999 }], { before })
        expect([again, inner.host, inner.bootId]).toEqual(["alive", me.host, me.bootId])
        expect(inner.pidNamespace).not.toBe(me.pidNamespace)
        expect(others).toEqual(["unknown", "unknown"])
        expect(yield* checkLiveness(inner)).toBe("unknown")
      }),
  )

  it.live.runIf(isDeno)("is the same with --allow-run=sh as with all permissions", () =>
    Effect.gen(function* () {
      const me = yield* currentHost
      const asked = [me, { ...me, pid: 999_999_999 }, { ...me, processStart: "1" }]
      const { again, me: other, others } = yield* elsewhere(asked, { permissions: ["--allow-run=sh"] })
      expect([again, others]).toEqual(["alive", ["alive", "dead", "dead"]])
      expect({ ...other, pid: 0, processStart: "" }).toEqual({ ...me, pid: 0, processStart: "" })
    }))

  it.live.runIf(isDeno)(
    "is unknown without permissions, except to itself, and never another's",
    () =>
      Effect.gen(function* () {
        const me = yield* currentHost
        const [one, two] = [
          yield* elsewhere([me], { permissions: nothing }),
          yield* elsewhere([me], { permissions: nothing }),
        ]
        expect([one.again, one.others, two.again, two.others]).toEqual(["alive", ["unknown"], "alive", ["unknown"]])
        expect(one.me.processStart).not.toBe(two.me.processStart)
        expect(yield* checkLiveness(one.me)).toBe("unknown")
      }),
  )
})

it.live("is alive to itself in an edge isolate, and unknown to all others", () =>
  Effect.gen(function* () {
    const me = yield* currentHost
    const { again, me: edge, others } = yield* elsewhere(["edge", me])
    expect(edge).toMatchObject({ host: "edge", pid: 0 })
    expect([again, others, yield* checkLiveness(edge)]).toEqual(["alive", ["unknown"], "unknown"])
    expect((yield* elsewhere(["edge"])).me).not.toEqual(edge)
  }))

const linux: HostIdentity = {
  host: "build",
  machine: "m1",
  bootId: "boot-1",
  pidNamespace: "pid:[4026531836]",
  pid: 7,
  processStart: "100",
}
const inContainer = { ...linux, pidNamespace: "pid:[4026532001]" }
const mac = { ...linux, pidNamespace: "none", processStart: "Sat Nov 21 23:10:00 2026" }
const windows = { ...linux, machine: "", bootId: "", pidNamespace: "none", processStart: "?1" }
const looker = (of: HostIdentity): HostIdentity => ({ ...of, pid: 8, processStart: "200" })

const judgements: ReadonlyArray<
  readonly [how: string, other: HostIdentity, me: HostIdentity, seen: Parameters<typeof judgeLiveness>[2], Liveness]
> = [
  ["the same start", linux, looker(linux), { state: "runs", start: "100" }, "alive"],
  ["another start", linux, looker(linux), { state: "runs", start: "101" }, "dead"],
  ["noDaemon", linux, looker(linux), { state: "gone", start: "" }, "dead"],
  ["a zombie", linux, looker(linux), { state: "zombie", start: "100" }, "dead"],
  ["a hidden process", linux, looker(linux), { state: "hidden", start: "" }, "unknown"],
  ["booted since", { ...linux, bootId: "boot-0" }, looker(linux), { state: "runs", start: "100" }, "dead"],
  ["another machine of the name", linux, looker({ ...linux, machine: "m2" }), { state: "gone", start: "" }, "unknown"],
  ["another name", linux, looker({ ...linux, host: "deploy" }), { state: "gone", start: "" }, "unknown"],
  ["a container", inContainer, looker(linux), { state: "gone", start: "" }, "unknown"],
  ["from a container", linux, looker(inContainer), { state: "gone", start: "" }, "unknown"],
  ["the same container", inContainer, looker(inContainer), { state: "gone", start: "" }, "dead"],
  [
    "a container before the boot",
    { ...inContainer, bootId: "boot-0" },
    looker(inContainer),
    { state: "gone", start: "" },
    "unknown",
  ],
  [
    "an unknown boot, where starts are counted from it",
    { ...linux, bootId: "" },
    looker(linux),
    { state: "runs", start: "100" },
    "unknown",
  ],
  ["an unknown start", { ...linux, processStart: "?x" }, looker(linux), { state: "runs", start: "100" }, "unknown"],
  ["an unknown place", { ...linux, pidNamespace: "" }, looker({ ...linux, pidNamespace: "" }), {
    state: "gone",
    start: "",
  }, "unknown"],
  ["macOS, the same start", mac, looker(mac), { state: "runs", start: mac.processStart }, "alive"],
  ["macOS, booted since", { ...mac, bootId: "boot-0" }, looker(mac), {
    state: "runs",
    start: mac.processStart,
  }, "dead"],
  ["BSD, the same start", { ...mac, bootId: "" }, looker({ ...mac, bootId: "" }), {
    state: "runs",
    start: mac.processStart,
  }, "alive"],
  ["Windows, a process id in use", windows, looker(windows), { state: "hidden", start: "" }, "unknown"],
  ["Windows, a free process id", windows, looker(windows), { state: "gone", start: "" }, "dead"],
  ["an edge isolate", { ...windows, host: "edge", pid: 0 }, looker({ ...windows, host: "edge" }), {
    state: "gone",
    start: "",
  }, "unknown"],
]

it.each(judgements)("follows from what is visible: %s", (_how, other, me, seen, expected) => {
  expect(judgeLiveness(other, me, seen)).toBe(expected)
})

it("reads the answer of sh, on macOS too", () => {
  const text = [
    "host studio.local",
    'machine       "IOPlatformUUID" = "8F1B"',
    "kill ",
    "boot 5C3E",
    "namespace none",
    "ps S    Sat Nov 21 23:10:00 2026    ",
    "",
  ].join("\n")
  expect(parseScriptOutput(text)).toEqual({
    host: "studio.local",
    machine: expect.stringMatching(/^[0-9a-f]{32}$/),
    bootId: "5C3E",
    pidNamespace: "none",
    process: { state: "runs", start: "Sat Nov 21 23:10:00 2026" },
  })
  expect(parseScriptOutput(text.replace("ps S ", "ps Z+ ")).process.state).toBe("zombie")
  const gone = text.replace(/^ps .*/m, "ps ").replace("kill ", "kill sh: line 3: kill: (7) - No such process")
  expect(parseScriptOutput(gone).process).toEqual({ state: "gone", start: "" })
  const forbidden = text.replace(/^ps .*/m, "ps ").replace("kill ", "kill sh: 3: kill: Operation not permitted")
  expect(parseScriptOutput(forbidden).process).toEqual({ state: "hidden", start: "" })
  expect(parseScriptOutput("")).toMatchObject({ host: "", machine: "", bootId: "", process: { state: "hidden" } })
})
