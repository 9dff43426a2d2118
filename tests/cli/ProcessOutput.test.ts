import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Wire from "../../src/wire/mod.ts"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, startSluice } from "./support.ts"

const eventsOf = (text: string) => text.trimEnd().split("\n").map((line) => Result.getOrThrow(Wire.decodeEvent(line)))

it.effect("passes bytes through unchanged, each output to its own", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    // Bytes that are no text: a decoder would have put something else in their place.
    const result = yield* sluice(["run", "--", "sh", "-c", `printf '\\377\\000\\303' > bytes; cat bytes; echo e >&2`], {
      cwd: directory,
    })
    expect(result).toMatchObject({ status: 0, stderr: "e\n" })
    const copied = yield* sluice([
      "run",
      "--shell",
      "--",
      `cat bytes bytes > twice; cmp -n 3 bytes twice; wc -c < twice`,
    ], {
      cwd: directory,
    })
    expect(copied).toEqual({ status: 0, stdout: "6\n", stderr: "" })
  }))

it.effect("writes output while the command still runs", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const running = yield* startSluice([
      "run",
      "--",
      "sh",
      "-c",
      `printf part; until [ -e '${path("go")}' ]; do sleep 0.01; done`,
    ])
    yield* eventually("half a line arrives", () => running.stdout() === "part")
    write("go", "")
    expect(yield* running.status).toBe(0)
  }))

it.effect("writes one event a line with --json, the ShellOutput last", () =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* sluice(["run", "--json", "--", "sh", "-c", "echo é; echo e >&2; exit 4"])
    const events = eventsOf(stdout)
    expect({ status, stderr }).toEqual({ status: 4, stderr: "" })
    const texts = events.flatMap((event) =>
      event?._tag === "ShellOutputChunk" ? [`${event.stream} ${event.content}`] : []
    )
    expect(texts.sort()).toEqual(["stderr e\n", "stdout é\n"])
    expect(events.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 4, stdoutBytes: 3, stderrBytes: 2 })
  }))

it.effect("writes the fault as the last event with --json, and its message to stderr", () =>
  Effect.gen(function* () {
    const args = ["run", "--json", "--timeout", "1s", "--", "sh", "-c", "echo so far; sleep 20"]
    const { status, stderr, stdout } = yield* sluice(args)
    const [chunk, fault] = eventsOf(stdout)
    expect(status).toBe(124)
    expect(chunk).toMatchObject({ _tag: "ShellOutputChunk", content: "so far\n" })
    expect(fault).toMatchObject({ _tag: "ShellFault", stdout: "so far\n", reason: { _tag: "Timeout", kind: "total" } })
    expect(stderr).toMatch(/^exec: sh did not end within 1s .*\(TIMEOUT\)\n$/)
    expect(eventsOf((yield* sluice(["run", "--json", "--", "no-such-program"])).stdout)).toMatchObject([
      { _tag: "ShellFault", reason: { _tag: "NotFound", what: "command" } },
    ])
  }))

it.effect("writes one window a line with --json and --window, then the ShellOutput", () =>
  Effect.gen(function* () {
    const { stdout } = yield* sluice(["run", "--json", "--window", "lines:2", "--", "seq", "5"])
    expect(eventsOf(stdout)).toMatchObject([
      { _tag: "Window", content: "1\n2\n" },
      { _tag: "Window", content: "3\n4\n" },
      { _tag: "Window", content: "5\n" },
      { _tag: "ShellOutput", exitCode: 0, stdoutBytes: 10 },
    ])
  }))

it.effect("writes windows as they come with --window alone", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const running = yield* startSluice([
      "run",
      "--window",
      "lines:2",
      "--",
      "sh",
      "-c",
      `seq 3; echo e >&2; until [ -e '${path("go")}' ]; do sleep 0.01; done`,
    ])
    // The third line and the one on stderr are held: no window of two lines yet.
    yield* eventually("a window arrives", () => running.stdout() !== "")
    expect({ out: running.stdout(), err: running.stderr() }).toEqual({ out: "1\n2\n", err: "" })
    write("go", "")
    expect(yield* running.status).toBe(0)
    expect({ out: running.stdout(), err: running.stderr() }).toEqual({ out: "1\n2\n3\n", err: "e\n" })
  }))

it.effect("holds everything to the end with --window final and with --no-stream", () =>
  Effect.gen(function* () {
    const script = ["--", "sh", "-c", "echo a; echo b >&2; echo c"]
    const both = { status: 0, stdout: "a\nc\n", stderr: "b\n" }
    expect(yield* sluice(["run", "--window", "final", ...script])).toEqual(both)
    expect(yield* sluice(["run", "--no-stream", ...script])).toEqual(both)
    const events = eventsOf((yield* sluice(["run", "--no-stream", "--json", ...script])).stdout)
    expect(events).toMatchObject([{ _tag: "ShellOutput", stdout: "a\nc\n", stderr: "b\n" }])
  }))

it.effect("keeps at most --max-output with --no-stream, and reports the omitted bytes", () =>
  Effect.gen(function* () {
    const { stdout } = yield* sluice(["run", "--no-stream", "--max-output", "1K", "--", "seq", "10000"])
    expect(stdout.startsWith("1\n2\n3\n")).toBe(true)
    expect(stdout.endsWith("9999\n10000\n")).toBe(true)
    expect(stdout).toMatch(/\[… \d+ bytes left out …\]/)
    expect(stdout.length).toBeLessThan(1_200)
  }))

it.effect("writes the collected output before a fault with --no-stream", () =>
  Effect.gen(function* () {
    const args = ["run", "--no-stream", "--timeout", "1s", "--", "sh", "-c", "echo so far; sleep 20"]
    expect(yield* sluice(args)).toMatchObject({ status: 124, stdout: "so far\n" })
  }))

it.effect.skipIf(process.platform === "win32")(
  "puts stderr into stdout, in the order of the writes, with --merge",
  () =>
    Effect.gen(function* () {
      const script = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done"
      const { stderr, stdout } = yield* sluice(["run", "--merge", "--", "sh", "-c", script])
      expect({ stderr, stdout: stdout.split("\n").join(" ") }).toEqual({
        stderr: "",
        stdout: "o1 e1 o2 e2 o3 e3 o4 e4 o5 e5 ",
      })
    }),
)

it.effect("runs a script with --shell, and never runs anything else through a shell", () =>
  Effect.gen(function* () {
    expect((yield* sluice(["run", "--shell", "--", "echo a | tr a b"])).stdout).toBe("b\n")
    expect((yield* sluice(["run", "--", "echo", "a | tr a b", "$HOME", ""])).stdout).toBe("a | tr a b $HOME \n")
  }))

it.effect("gives the command its directory and its environment", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    const show = ["--", "sh", "-c", `pwd; echo "$A|$B|$KEPT"`]
    const given = ["--cwd", directory, "--env", "A=1", "--env", "B=x=y"]
    const options = { env: { KEPT: "kept", A: "0" } }
    expect((yield* sluice(["run", ...given, ...show], options)).stdout).toBe(`${directory}\n1|x=y|kept\n`)
    expect((yield* sluice(["run", "--clear-env", ...given, ...show], options)).stdout).toBe(`${directory}\n1|x=y|\n`)
  }))

it.effect.skipIf(process.platform !== "linux")(
  "enforces the limits of the system, and refuses limits that it cannot enforce",
  () =>
    Effect.gen(function* () {
      const { directory, size } = yield* workshop
      const args = ["run", "--limit", "file=4K", "--cwd", directory, "--", "head", "-c", "9000", "/dev/zero"]
      const head = yield* sluice([...args.slice(0, -4), "sh", "-c", "exec head -c 9000 /dev/zero > big"])
      expect({ status: head.status, size: size("big") }).toEqual({ status: 153, size: 4_096 })
      if (process.getuid?.() === 0) {
        const { status, stderr } = yield* sluice(["run", "--limit", "processes=8", "--", "true"])
        expect(status).toBe(125)
        expect(stderr).toMatch(/^exec: .*processes.*root.*\n$/)
      }
    }),
)
