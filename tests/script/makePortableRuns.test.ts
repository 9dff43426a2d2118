/** Scripts in the portable shell: their folder, variables, input, end and faults, as those of a command. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdirSync, statSync } from "node:fs"
import { LocalShell, type LocalShellOptions, Shell, ShellExec, type ShellExecOptions } from "../../mod.ts"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"

const script = (text: string, options: ShellExecOptions = {}) =>
  ShellExec.shell(text, { timeout: "20 seconds", shell: "portable", ...options })

const run = (text: string, options: ShellExecOptions = {}, leaf: LocalShellOptions = {}) =>
  Shell.run(script(text, options)).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => `${stdout}${stderr}${exitCode}`),
    Effect.catchTag("ShellFault", ({ message, reason }) => Effect.succeed(`${reason._tag}: ${message}`)),
    Effect.provide(LocalShell.layerWith(leaf)),
  )

it.live("runs in the folder and with the variables of the command", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    mkdirSync(`${directory}/sub`)
    expect(yield* run("pwd; cd sub; env pwd", { cwd: directory })).toBe(`${directory}\n${directory}/sub\n0`)
    expect(yield* run("pwd", {}, { cwd: directory })).toBe(`${directory}\n0`)
    expect(yield* run("pwd", { cwd: "/nowhere/at/all" })).toMatch(/^NotFound: .*\/nowhere\/at\/all.*ENOENT/)
    expect(yield* run('echo "$A"; env | grep ^A=', { env: { A: "a b" } })).toBe("a b\nA=a b\n0")
    expect(yield* run("echo ${HOME-none}; env | grep -c ^HOME=", { env: { HOME: null } })).toBe("none\n0\n1")
    const alone = { extendEnv: false, env: { PATH: "/usr/bin:/bin" } }
    expect(yield* run("env | grep -v SLUICE | cut -d= -f1 | sort | xargs", alone)).toBe("PATH PWD\n0")
  }))

it.live("takes input and arguments, and hides secrets among them", () =>
  Effect.gen(function* () {
    expect(yield* run("read -r a; sort", { input: "c\nb\na\n" })).toBe("a\nb\n0")
    expect(yield* run("cat; echo end")).toBe("end\n0")
    const secret = Redacted.make("s3cret")
    const words = ["$(exit 3)", "a  b", secret]
    const exec = ShellExec.make('printf "<%s>" "$@"; nope "$3"', words, { useShell: true, shell: "portable" })
    const output = yield* Effect.provide(Shell.run(exec), LocalShell.layer)
    expect(output.stdout).toBe("<$(exit 3)><a  b><s3cret>")
    const stdin = Stream.make("x\n", "y\n").pipe(Stream.encodeText)
    const counted = Shell.text(script("wc -l"), { stdin }).pipe(Effect.provide(LocalShell.layer))
    expect(yield* counted).toBe("2")
  }))

it.live("ends at its timeout, by an abort and by silence, with its programs", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const beat = `while :; do date >> ${shop.path("beat")}; sleep 0.02; done`
    expect(yield* run(beat, { timeout: "300 millis" })).toMatch(/^Timeout/)
    expect(yield* run(beat, { timeout: undefined }, { timeout: "300 millis" })).toMatch(/^Timeout/)
    expect(yield* run("sleep 20 | cat", { idleTimeout: "200 millis" })).toMatch(/^Timeout/)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    const aborted = Shell.run(script("sleep 20"), { signal: controller.signal })
    expect((yield* Effect.flip(Effect.provide(aborted, LocalShell.layer))).reason._tag).toBe("Cancelled")
    const size = shop.size("beat")
    yield* Effect.sleep("150 millis")
    expect(shop.size("beat")).toBe(size)
  }))

it.live("receives signals, and reports the signals that ended its programs", () =>
  Effect.gen(function* () {
    expect(yield* run("env kill -SEGV $$; sleep 60 & kill -9 $!; wait $!; echo $?")).toMatch(/137\n0$/)
    const shop = yield* workshop
    let signal: ((name: string) => void) | undefined
    const trapping = `trap 'echo got; exit 3' USR1; touch ${shop.path("on")}; while :; do sleep 0.05; done`
    const trapped = Shell.run(script(trapping), { onSpawn: ({ kill }) => void (signal = kill) })
    const running = yield* Effect.forkChild(Effect.provide(trapped, LocalShell.layer))
    yield* eventually("its trap is set", () => shop.exists("on"))
    signal?.("SIGUSR1")
    expect(yield* Fiber.join(running)).toMatchObject({ stdout: "got\n", exitCode: 3 })
  }))

it.live("takes one slot for all of its programs, and none for itself in a pipeline", () =>
  Effect.gen(function* () {
    const one = { maxConcurrency: 1 }
    expect(yield* run("seq 1000 | cat | wc -l", {}, one)).toBe("1000\n0")
    const joined = Stream.runLast(Shell.pipeline([
      ShellExec.make("seq", ["100000"]),
      script("cat | grep 9 | cat"),
      ShellExec.make("wc", ["-l"]),
      script("tr -d ' ' | cat"),
    ], {}))
    const last = yield* joined.pipe(Effect.timeout("15 seconds"), Effect.provide(LocalShell.layerWith(one)))
    expect(last).toMatchObject({ value: { exitCode: 0 } })
  }))

it.live("merges streams, and gives its programs their limits", () =>
  Effect.gen(function* () {
    expect(yield* run("echo a; echo b >&2; ls /nope; echo c", { mergeStreams: true })).toMatch(/^a\nb\n.*\nc\n0$/)
    const limited = run("head -c 100000 /dev/zero > big; echo $?", {
      cwd: (yield* workshop).directory,
      limits: { cpuSeconds: 5 },
    })
    expect(yield* limited).toBe("0\n0")
    expect(yield* run("awk 'BEGIN { for (;;) x++ }'; echo $?", { limits: { cpuSeconds: 1 } })).toMatch(
      /^1(?:52|37)\n0$/,
    )
  }))

it.live("makes files with the mask of this program, and changes no other", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const before = statSync("/").mode
    // Bun sets none in a worker, and the runner's are workers there.
    const mask = "Bun" in globalThis ? process.umask() : process.umask(0o037)
    const made = run("echo x > made; : > /dev/null; umask 077; echo x > own", { cwd: shop.directory })
    const left = "Bun" in globalThis ? made : Effect.ensuring(made, Effect.sync(() => process.umask(mask)))
    expect(yield* left).toBe("0")
    expect(statSync(shop.path("made")).mode & 0o777).toBe("Bun" in globalThis ? 0o666 & ~mask : 0o640)
    expect(statSync(shop.path("own")).mode & 0o777).toBe(0o600)
    expect(statSync("/").mode).toBe(before)
  }))

it.live("refuses unsupported options", () =>
  Effect.gen(function* () {
    expect(yield* run(" ")).toMatch(/^InvalidRequest: exec: the command is empty/)
    const program = Effect.flip(Shell.run(ShellExec.make("ls", [], { shell: "portable" })))
    const terminal = Effect.flip(Effect.flatMap(
      Shell,
      ({ exec }) => Stream.runDrain(exec(script("ls"), { terminal: { cols: 80, rows: 24 } })),
    ))
    for (const [fault, field] of [[program, "shell"], [terminal, "terminal"]] as const) {
      expect((yield* Effect.provide(fault, LocalShell.layer)).reason).toMatchObject({ _tag: "InvalidRequest", field })
    }
    expect(yield* run("if then")).toMatch(/syntax error[^]*2$/)
  }))
