/** Scripts in our shell whose programs are commands of the local leaf, behind a policy that lists them. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import type { LocalShellOptions } from "../../src/leaves/local/LocalShellOptions.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { scheduleNextTurn } from "../../src/shell/scheduleNextTurn.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { MockRun, MockShell } from "../../src/testing/mod.ts"
import { isAlive } from "../host/terminal/isAlive.ts"
import { workshop } from "../support/workshop.ts"

const listed = "cat comm diff echo env git head kill ls printf seq sh sleep sort tee wc yes".split(" ")

const run = (script: string, options: ShellExecOptions = {}, leaf: LocalShellOptions = {}) =>
  Shell.run(ShellExec.shell(script, { timeout: "20 seconds", ...options })).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => `${stdout}${stderr}${exitCode}`),
    Effect.catchTag("ShellFault", ({ message }) => Effect.succeed(message)),
    Effect.provide(AccessPolicy.guard(AccessPolicy.make({ allowedCommands: listed }))(LocalShell.layerWith(leaf))),
  )

it.live("joins programs of the machine by pipes with back-pressure, and gives their statuses", () =>
  Effect.gen(function* () {
    expect(yield* run('yes | head -n 2; echo "${PIPESTATUS[*]}"')).toBe("y\ny\n141 0\n0")
    expect(yield* run("seq 100000 | sort -rn | cat | wc -l")).toBe("100000\n0")
    expect(yield* run("set -o pipefail; ls /nope 2> /dev/null | cat; echo $?; sh -c 'exit 7'")).toBe("2\n7")
    expect(yield* run("sh -c 'kill -SEGV $$'; echo $?")).toBe("139\n0")
    // One slot is enough for a pipeline.
    expect(yield* run("echo a | cat | cat | cat", {}, { maxConcurrency: 1 })).toBe("a\n0")
  }))

it.live("sends signals of the script to programs of the machine", () =>
  Effect.gen(function* () {
    expect(yield* run("sleep 60 & kill $!; wait $!; echo $?; sleep 60 & kill -9 $!; wait $!; echo $?")).toBe(
      "143\n137\n0",
    )
    const shop = yield* workshop
    const ready = shop.path("ready")
    const trapping = `sh -c 'trap "echo got; exit 3" TERM; echo > ${ready}; while :; do sleep 0.05; done' 2> /dev/null`
    const until = `while [ ! -s ${ready} ]; do sleep 0.02; done`
    expect(yield* run(`${trapping} & p=$!; ${until}; kill $p; wait $p; echo $?`)).toBe("got\n3\n0")
  }))

it.live("ends the programs of a script with it", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const beat = `sh -c 'echo $$ >> ${shop.path("pids")}; while :; do echo x; sleep 0.02; done'`
    const living = (): ReadonlyArray<string> =>
      shop.read("pids").trim().split("\n").filter((pid) => isAlive(Number(pid)))
    expect(yield* run(`${beat} | cat | ${beat}`, { timeout: "300 millis" })).toContain("TIMEOUT")
    expect(living()).toEqual([])
    // Also what it leaves in the background, when it writes without end.
    const left = run("while :; do echo x; done & echo on", {
      timeout: "300 millis",
      grace: "100 millis",
      maxOutputBytes: 100,
    })
    expect(yield* Effect.map(left, (text) => text.includes("on"))).toBe(true)
    expect(yield* run(`${beat} | rm x`)).toBe("exec: rm is not among the allowed commands (NOT_ALLOWED)")
    expect(living()).toEqual([])
  }))

it.live("is over only when the programs that it left in the background are", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const [pid, beat] = [shop.path("pid"), shop.path("beat")]
    const forever = `sh -c 'trap "" TERM; echo $$ > ${pid}; while :; do echo x >> ${beat}; done' > /dev/null 2>&1 &`
    for (let round = 0; round < 5; round++) {
      expect(yield* run(`${forever} while [ ! -s ${beat} ]; do sleep 0.01; done; echo on`)).toBe("on\n0")
      const at = shop.size("beat")
      expect(isAlive(Number(shop.read("pid")))).toBe(false)
      yield* Effect.sleep("20 millis")
      expect(shop.size("beat")).toBe(at)
      shop.write("beat", "")
    }
  }))

it.live("starts one program in each turn of the event loop", () =>
  Effect.gen(function* () {
    let turn = 0
    let waits = true
    const count = (): void => {
      turn++
      if (waits) scheduleNextTurn(count)
    }
    const started: Array<number> = []
    const play: MockRun.MockStep = MockRun.effect(() => Effect.sync(() => void started.push(turn)))
    const script = ShellExec.shell("for i in {1..20}; do sleep 5 & done; wait")
    count()
    yield* Shell.run(script).pipe(
      Effect.provide(
        AccessPolicy.guard(AccessPolicy.make({ allowedCommands: listed }))(MockShell.layer(() => play)),
      ),
    )
    waits = false
    expect(started.length).toBe(20)
    expect(new Set(started).size).toBe(20)
  }))

it.live("is named in a fault by its id and the beginning of its first line", () =>
  Effect.gen(function* () {
    const long = `sleep 20 # ${"x".repeat(100)}\necho second`
    const exec = ShellExec.shell(long, { timeout: "50 millis" })
    const fault = yield* Shell.run(exec).pipe(Effect.flip, Effect.provide(LocalShell.layer))
    expect(fault.message).toBe(
      `exec: the script ${exec.commandId} (sleep 20 # ${
        "x".repeat(49)
      }…) did not end within 50ms and was ended (TIMEOUT)`,
    )
    expect(yield* run("sleep 20", { timeout: "50 millis" })).toMatch(/^exec: the script \S+ \(sleep 20\) did not end/)
  }))

it.live("leaves the input of a loop to the loop, and gives it to a program that reads", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("list", "one\ntwo\n")
    shop.write("one", "1\n")
    shop.write("two", "2\n2\n")
    const options = { cwd: shop.directory }
    expect(yield* run('cat list | while read -r f; do wc -l "$f"; done', options)).toBe("1 one\n2 two\n0")
    expect(yield* run('cat list | while read -r f; do sh -c "echo $f"; done', options)).toBe("one\ntwo\n0")
    expect(yield* run("cat list | { read -r first; cat; }", options)).toBe("two\n0")
    expect(yield* run("sleep 0.01; cat", { input: "in\n" })).toBe("in\n0")
    expect(yield* run("echo a | { true; git --version > /dev/null; wc -c; }")).toBe("2\n0")
    expect(yield* run("read -r a; sort", { input: "c\nb\na\n" })).toBe("a\nb\n0")
  }))

it.live("gives programs files in place of process substitutions, which are gone afterwards", () =>
  Effect.gen(function* () {
    const folders = (): ReadonlyArray<string> => readdirSync(tmpdir()).filter((name) => name.startsWith("sluice-fd-"))
    const before = folders()
    expect(yield* run("comm -12 <(seq 3 | sort) <(seq 2 5 | sort)")).toBe("2\n3\n0")
    expect(yield* run("seq 3 | tee >(wc -l) > /dev/null; sleep 0.1")).toBe("3\n0")
    expect(yield* run("exec 3< <(echo in); sh -c 'cat $0' /dev/fd/3")).toBe("in\n0")
    expect(folders()).toEqual(before)
  }))

it.live("keeps secrets of a script's variables out of the faults of its programs", () =>
  Effect.gen(function* () {
    const options = { env: { TOKEN: Redacted.make("s3cret") } }
    expect(yield* run('printf %s "$TOKEN" | wc -c', options)).toBe("6\n0")
    expect(yield* run('git --no-such-option="$TOKEN" log', options)).not.toContain("s3cret")
  }))
