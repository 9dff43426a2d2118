import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sandboxFlags } from "../../../src/cli/sandbox/sandboxSpec.ts"
import { eventually, settled } from "../../support/eventually.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess, runInProcess, sluice, sluiceLine, startSluice } from "../support.ts"

const posix = it.effect.skipIf(process.platform === "win32")

it.effect("writes both outputs of a script, and exits with its status", () =>
  Effect.gen(function* () {
    const script = 'echo "$# $1"; seq 3 | grep -c . >&2; exit 7'
    expect(yield* runInProcess("sandbox", script, "--json", "x")).toEqual({
      status: 7,
      stdout: "2 --json\n",
      stderr: "3\n",
    })
    expect(yield* runInProcess("sandbox", "--", "kill -9 $$")).toMatchObject({ status: 137 })
    expect(yield* runInProcess("sandbox", "if")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("syntax error"),
    })
  }))

it.effect("sees only mounted folders of this machine, and keeps other files in memory", () =>
  Effect.gen(function* () {
    const { directory, exists, path, read, write } = yield* workshop
    write("in/file", "here\n")
    const alone = yield* runInProcess("sandbox", `ls /; cat ${path("in/file")}; echo x > f && cat f; echo $HOME $PATH`)
    expect(alone.stdout).toBe("bin\ndev\nhome\ntmp\nusr\nx\n/home/user /usr/local/bin:/usr/bin:/bin\n")
    const folder = path("in")
    expect((yield* runInProcess("sandbox", "--mount", folder, "pwd; cat file; echo new > new")).stdout).toBe(
      `${folder}\nhere\n`,
    )
    expect(read("in/new")).toBe("new\n")
    const overlay = yield* runInProcess("sandbox", "--mount", `${folder}:overlay=/w`, "pwd; rm file; ls; echo > more")
    expect(overlay.stdout).toBe("/w\nnew\n")
    const readOnly = yield* runInProcess("sandbox", "--mount", `${folder}:ro=/r`, "--cwd", "/", "ls r; rm r/file")
    expect(readOnly).toMatchObject({ status: 1, stdout: "file\nnew\n" })
    expect(readOnly.stderr).toContain("Read-only file system")
    expect([exists("in/file"), exists("in/more")]).toEqual([true, false])
    expect(
      (yield* runInProcess("sandbox", "--mount", `${folder}=/a`, "--mount", `${directory}:ro=/b`, "pwd; ls /a /b/in"))
        .status,
    )
      .toBe(0)
  }))

it.effect("sets variables, and ends a script after its time and beyond its limits", () =>
  Effect.gen(function* () {
    expect((yield* runInProcess("sandbox", "--env", "A=b c", "--env", "B=", 'echo "$A,$B"')).stdout).toBe("b c,\n")
    const late = yield* runInProcess("sandbox", "--timeout", "100ms", "echo so far; sleep 60")
    expect(late).toMatchObject({ status: 124, stdout: "so far\n" })
    expect(late.stderr).toMatch(/^sluice: .*100 ms.*\n$/)
    const much = yield* runInProcess("sandbox", "--limit", "output=5", "yes")
    expect(much).toMatchObject({ status: 153, stdout: "y\ny\ny" })
    expect(much.stderr).toContain("more than 5 bytes")
    const full = yield* runInProcess("sandbox", "--limit", "disk=100K", "head -c 1000000 /dev/zero > big")
    expect([full.status, full.stderr]).toEqual([1, expect.stringContaining("No space left on device")])
    const many = yield* runInProcess("sandbox", "--limit", "processes=3", "sleep 5 & sleep 5 & sleep 5 & sleep 5 &")
    expect(many.stderr).toContain("Resource temporarily unavailable")
  }))

const wrong: ReadonlyArray<readonly [words: ReadonlyArray<string>, problem: string]> = [
  [[], "missing script: quote it, as in sluice sandbox 'seq 9 | wc -l' (see sluice sandbox --help)"],
  [["--mont", ".", "true"], 'unknown flag --mont; did you mean "--mount"?'],
  [["--mount", "/no/such/folder", "true"], "--mount: /no/such/folder: No such file or directory"],
  [["--mount", ".=/dev/null/x", "true"], "cannot mount /dev/null/x: Not a directory (ENOTDIR)"],
  [["--program", "x=nowhere", "x"], "--program: no input"],
  [["--limit", "x=1", "true"], `--limit: "x=1" is not a limit`],
  [["--network", "example.org", "true"], `--network: "example.org" is not an origin`],
  [["--cwd", "/dev/null", "true"], "cannot make /dev/null: Not a directory (ENOTDIR)"],
]

it.effect.each(wrong)(
  "reports the problem with %j in one line, and exits with 125",
  ([words, problem]) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess("sandbox", ...words)
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr).toMatch(/^sluice: /)
      expect(stderr).toContain(problem)
      expect(stderr.match(/\n/g)).toHaveLength(1)
    }),
)

it.effect("documents every flag", () =>
  Effect.gen(function* () {
    const { status, stdout } = yield* runInProcess("sandbox", "--help")
    expect(status).toBe(0)
    for (const [name, { about }] of Object.entries(sandboxFlags)) {
      expect(stdout).toContain(`--${name} `)
      expect(stdout).toContain(about)
    }
    expect((yield* runInProcess("--help")).stdout).toMatch(/sandbox +Run a script in a sandbox/)
  }))

it.effect("opens stdin only when the script reads, and reports why it cannot", () =>
  Effect.gen(function* () {
    let opened = 0
    const own = (args: ReadonlyArray<string>) => ({
      ...fakeProcess(args),
      openInput: () => {
        opened++
        return Promise.reject(new Error("the keyboard is gone"))
      },
    })
    expect(yield* runFakeProcess(own(["sandbox", "echo hi"]))).toMatchObject({ status: 0, stdout: "hi\n" })
    expect(opened).toBe(0)
    const failed = yield* runFakeProcess(own(["sandbox", "cat"]))
    expect(failed.status).toBe(125)
    expect(failed.stderr).toContain("the keyboard is gone")
    expect(opened).toBe(1)
  }))

posix("passes its stdin on, whole", () =>
  Effect.gen(function* () {
    const input = "0123456789abcde\n".repeat(50_000)
    const { status, stdout } = yield* sluice(["sandbox", 'read -r line; echo "$line"; cat | wc -c'], { input })
    expect([status, stdout.trim().split(/\s+/)]).toEqual([0, ["0123456789abcde", String(input.length - 16)]])
  }))

posix("stands in a pipeline before head and after yes", () =>
  Effect.gen(function* () {
    const script = `${sluiceLine} sandbox 'yes | cat' | head -n 1; echo "\${PIPESTATUS[0]}"
      yes | ${sluiceLine} sandbox 'head -n 2'; echo "\${PIPESTATUS[1]}"`
    const { stdout } = yield* sluice(["run", "--timeout", "20s", "--", "bash", "-c", script])
    expect(stdout).toBe("y\n141\ny\ny\n0\n")
  }))

posix("stops the script while its output is not read", () =>
  Effect.gen(function* () {
    const { directory, size } = yield* workshop
    const script = "while :; do head -c 65536 /dev/zero; printf . >> rounds; done"
    const running = yield* startSluice(["sandbox", "--mount", directory, script])
    running.pause()
    yield* eventually("it writes", () => size("rounds") > 0)
    const held = yield* settled(() => size("rounds"))
    expect(held).toBeLessThan(40)
    running.resume()
    yield* eventually("it goes on", () => size("rounds") > held + 50)
  }))

posix("hands signals to the script, and kills it when the second comes", () =>
  Effect.gen(function* () {
    const caught = yield* startSluice([
      "sandbox",
      "trap 'echo caught; exit 5' INT; echo up; while :; do sleep 0.01; done",
    ])
    yield* eventually("it is up", () => caught.stdout() === "up\n")
    caught.signal("SIGINT")
    expect([yield* caught.status, caught.stdout()]).toEqual([5, "up\ncaught\n"])

    const plain = yield* startSluice(["sandbox", "echo up; sleep 60 | cat"])
    yield* eventually("it is up", () => plain.stdout() === "up\n")
    plain.signal("SIGTERM")
    expect(yield* plain.status).toBe(143)

    const stubborn = yield* startSluice(["sandbox", "trap '' INT; echo up; while :; do sleep 0.01; done"])
    yield* eventually("it is up", () => stubborn.stdout() === "up\n")
    stubborn.signal("SIGINT")
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))
    expect(stubborn.hasEnded()).toBe(false)
    stubborn.signal("SIGINT")
    expect([yield* stubborn.status, stubborn.stderr()]).toEqual([130, ""])
  }))

if (canCompileC) {
  posix(
    "runs WASI programs of this computer by name, and in workers ends those that only compute",
    () =>
      Effect.gen(function* () {
        const { path, write } = yield* workshop
        const files = yield* Effect.promise(() => Promise.all(["tally", "compute"].map((name) => compileC(name))))
        for (const [index, name] of ["tally.wasm", "compute.wasm"].entries()) write(name, files[index] ?? "")
        const flags = ["--program", `tally=${path("tally.wasm")}`, "--program", `compute=${path("compute.wasm")}`]
        const counted = yield* sluice(["sandbox", ...flags, "seq 1000 | tee copy | tally; tally < copy"])
        const [first, second] = counted.stdout.trimEnd().split("\n")
        expect([counted.status, first]).toEqual([0, second])
        expect(first).toMatch(/^3893 /)
        const late = yield* sluice([
          "sandbox",
          "--isolate",
          "--timeout",
          "500ms",
          ...flags,
          "echo up; compute loop > /dev/null",
        ])
        expect([late.status, late.stdout]).toEqual([124, "up\n"])
      }),
  )
}
