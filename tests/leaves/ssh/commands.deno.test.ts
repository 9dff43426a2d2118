import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Shell, ShellExec, type StartedProcess } from "@sluice/shell"
import { SshShell } from "@sluice/shell/ssh"
import { eventually } from "../../support/eventually.ts"
import { hasSshd, type SshServer, startSshd } from "../../support/sshd.ts"
import { rounds } from "../../support/rounds.ts"
import { workshop } from "../../support/workshop.ts"

describe.runIf(hasSshd)("SshShell", () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  })
  afterAll(() => server.close())

  const within = <A, E>(effect: Effect.Effect<A, E, Shell>, options: Partial<SshShell.SshShellOptions> = {}) =>
    Effect.runPromise(Effect.provide(effect, SshShell.layer({ ...server.options(), ...options })))
  const output = (exec: ShellExec) =>
    Effect.map(Shell.run(exec), ({ exitCode, signal, stdout }) => ({ exitCode, signal, stdout }))
  const collect = (exec: ShellExec) =>
    Effect.map(Stream.runCollect(Shell.exec(exec)), (events) => ({
      chunks: events.map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join(""),
      last: events.at(-1),
    }))
  const encode = (text: string) => new TextEncoder().encode(text)
  const exitOf = (script: string) => Stream.runLast(Shell.exec(ShellExec.shell(script)))

  it("distinguishes exit codes from signals, also 255", () =>
    within(Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [script: string, exitCode: number, signal: string | undefined]> = [
        ["exit 0", 0, undefined],
        ["exit 255", 255, undefined],
        ["exit 137", 137, undefined],
        ["kill -KILL $$", 137, "SIGKILL"],
        ["kill -SEGV $$", 139, "SIGSEGV"],
        ["kill -USR2 $$", 140, "SIGUSR2"],
        // sshd has no name for it, and does not say its number.
        ["kill -BUS $$", 128, "SIGUNKNOWN"],
      ]
      for (const [script, exitCode, signal] of cases) {
        const last = yield* exitOf(script)
        expect(last).toMatchObject({ value: { exitCode } })
        expect(last._tag === "Some" && "signal" in last.value ? last.value.signal : undefined).toBe(signal)
      }
    })))

  it("runs a script in the portable shell: each program there, no file here", () =>
    within(Effect.gen(function* () {
      const run = (script: string) =>
        Shell.run(ShellExec.shell(script, { shell: "portable", timeout: "20 seconds" })).pipe(
          Effect.map(({ exitCode, stdout }) => `${stdout}${exitCode}`),
          Effect.catchTag("ShellFault", ({ reason }) =>
            Effect.succeed(reason._tag === "InvalidRequest" ? `no ${reason.field}` : reason._tag)),
        )
      expect(yield* run('echo "$SSH_CONNECTION" | wc -w; pwd | grep -c /; cd /usr; env pwd; cat <<< in; exit 4')).toBe(
        "4\n1\n/usr\nin\n4",
      )
      expect(yield* run('seq 3 | while read -r n; do echo "<$n>"; done; nope 2> /dev/null; echo $?')).toBe(
        "<1>\n<2>\n<3>\n127\n0",
      )
      for (
        const script of ["echo x > made", "cat < /etc/passwd", "echo /etc/*", "[ -f /etc/passwd ]", ". /etc/profile"]
      ) {
        expect(yield* run(`${script}; echo on`)).toBe("no command")
      }
    })))

  it("takes a relative cwd from the home directory, whatever CDPATH and the directory before are", async () => {
    mkdirSync(join(server.folder, "only-there"))
    const pwd = ShellExec.make("/bin/pwd", [], { env: { CDPATH: server.folder, OLDPWD: server.folder } })
    for (const cwd of ["-", "only-there"]) {
      const fault = await within(Effect.flip(output(pwd)), { cwd })
      expect(fault).toMatchObject({ reason: { _tag: "NotFound", what: "workingDirectory" } })
    }
  })

  it("is not deceived by a command that claims not to have started", () =>
    within(Effect.gen(function* () {
      const nonce = "$(tr '\\0' '\\n' < /proc/$PPID/cmdline | sed -n 's/.*_sln=\\([0-9a-f]*\\);.*/\\1/p')"
      const script = `printf '%s program ENOENT\\n' "${nonce}"; exit 3`
      const { exitCode, stdout } = yield* Shell.run(ShellExec.shell(script, { limits: { cpuSeconds: 60 } }))
      expect(exitCode).toBe(3)
      expect(stdout).toMatch(/ program ENOENT\n$/)
    })))

  it("waits for a channel where the server has no more of them", async () => {
    const small = await startSshd(["MaxSessions 3"])
    const numbers = Array.from({ length: 12 }, (_, n) => n)
    const program = Effect.forEach(numbers, (n) => output(ShellExec.shell(`sleep 0.05; echo ${n}`)), {
      concurrency: "unbounded",
    })
    const all = await Effect.runPromise(
      Effect.provide(program, SshShell.layer({ ...small.options(), maxConcurrency: 12 })),
    )
    expect(all.map(({ stdout }) => stdout)).toEqual(numbers.map((n) => `${n}\n`))
    small.close()
    // None is left beside the one of the leaf itself.
    const one = await startSshd(["MaxSessions 1"])
    const none = await Effect.runPromise(
      Effect.flip(
        Effect.provide(
          output(ShellExec.make("true")),
          SshShell.layer({ ...one.options(), connectTimeout: "1 second" }),
        ),
      ),
    )
    expect(none).toMatchObject({ reason: { _tag: "ResourceExhausted", resource: "channels" } })
    expect(none.message).toContain("its MaxSessions may be too low")
    one.close()
  })

  it("drops the output of start-up files, and reports a login shell that permits no commands", async () => {
    const noisy = await startSshd()
    writeFileSync(
      join(noisy.folder, ".bashrc"),
      "echo welcome; echo careful >&2; printf 'no line end' | tee /dev/stderr\n",
    )
    const run = (options: SshShell.SshShellOptions) =>
      Effect.runPromise(
        Effect.result(
          Effect.provide(Shell.run(ShellExec.shell("echo hello; echo problem >&2")), SshShell.layer(options)),
        ),
      )
    expect(await run(noisy.options())).toMatchObject({ success: { stdout: "hello\n", stderr: "problem\n" } })
    noisy.close()
    const forced = await startSshd(["ForceCommand echo no commands here"])
    const refused = await run({ ...forced.options(), connectTimeout: "2 seconds" })
    expect(refused).toMatchObject({
      failure: {
        _tag: "SshError",
        reason: { _tag: "LoginShellFailed" },
        message: expect.stringContaining('and said "no commands here"; the user needs a login shell'),
      },
    })
    forced.close()
  })

  it("shows no secret of the environment or the input in the process list", () =>
    within(
      Effect.gen(function* () {
        const { path, write } = yield* workshop
        const [one, two] = ["a", "b"].map((word) => `${word}-${crypto.randomUUID()}`)
        write("needles", `${one}\n${two}\n`)
        // Looks as fast as it can while commands start.
        const look =
          `i=0; while [ ! -e '${path("stop")}' ]; do grep -lsaF -f '${path("needles")}' /proc/[0-9]*/cmdline; ` +
          "i=$((i + 1)); done; echo rounds $i >&2"
        const looking = yield* Effect.forkChild(Shell.run(ShellExec.shell(look)))
        const exec = ShellExec.shell(`test "$TOKEN" = "$(cat)" || echo differs; echo $TOKEN | cut -c1-2`, {
          env: { TOKEN: Redacted.make(one ?? "") },
          input: Redacted.make(one ?? ""),
        })
        const cleared = ShellExec.make("/bin/sh", ["-c", "echo $TOKEN | cut -c1-2"], {
          env: { TOKEN: Redacted.make(two ?? "") },
          extendEnv: false,
        })
        for (let round = 0; round < 15; round++) {
          expect((yield* Shell.run(exec)).stdout).toBe("a-\n")
          expect((yield* Shell.run(cleared)).stdout).toBe("b-\n")
        }
        write("stop", "")
        const { stderr, stdout } = yield* Fiber.join(looking)
        expect(stdout).toBe("")
        expect(Number(/rounds (\d+)/.exec(stderr)?.[1])).toBeGreaterThan(10)
        const dotted = ShellExec.make("true", [], { env: { "x.y": Redacted.make("s3cret") } })
        const refused = yield* Effect.flip(Shell.run(dotted))
        expect(refused).toMatchObject({ reason: { _tag: "InvalidRequest", field: "environment" } })
        expect(JSON.stringify(refused)).not.toContain("s3cret")
      }).pipe(Effect.scoped),
      { maxConcurrency: 4 },
    ))

  it("gives a command a terminal: size, input, keys, a change of size", () =>
    within(Effect.gen(function* () {
      const shell = yield* Shell
      let text = ""
      let started: StartedProcess | undefined
      const script = "stty size; tty; read -r word; echo \"got $word\"; trap 'stty size; exit 7' WINCH; echo ready; " +
        "while :; do sleep 0.05; done"
      const last = yield* shell.bytes(ShellExec.shell(script), {
        terminal: { cols: 101, rows: 33 },
        // Typed when the program asks: before that, the terminal would show it between the lines.
        stdin: Stream.concat(
          Stream.fromEffect(Effect.as(eventually("it asks", () => text.includes("pts")), encode("hello\r"))),
          Stream.never,
        ),
        onSpawn: (process) => void (started = process),
      }).pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            if (event._tag !== "ShellBytes") return
            text += new TextDecoder().decode(event.bytes)
            if (text.includes("ready")) started?.resize?.({ cols: 120, rows: 40 })
          })
        ),
        Stream.runLast,
      )
      expect(text).toMatch(/^33 101\r\n\/dev\/pts\/\d+\r\n/m)
      expect(text).toContain("got hello\r\n")
      expect(text).toContain("40 120\r\n")
      expect(last).toMatchObject({ value: { exitCode: 7 } })
      const interrupted = shell.bytes(ShellExec.shell("echo up; sleep 20"), {
        terminal: { cols: 80, rows: 24 },
        stdin: Stream.concat(
          Stream.fromEffect(Effect.as(Effect.sleep("300 millis"), new Uint8Array([3]))),
          Stream.never,
        ),
      })
      expect(yield* Stream.runLast(interrupted)).toMatchObject({ value: { signal: "SIGINT" } })
      const ended = shell.bytes(ShellExec.make("cat"), {
        terminal: { cols: 80, rows: 24 },
        stdin: Stream.make(new Uint8Array([97, 13])),
      })
      expect(yield* Stream.runLast(ended)).toMatchObject({ value: { exitCode: 0 } })
    })))

  it("ends a writer whose reader has gone, in a pipeline", () =>
    within(Effect.gen(function* () {
      // The shell itself writes, or a program that it has started.
      for (const script of ["while :; do echo y; done", "yes; exit 0"]) {
        const events = yield* Stream.runCollect(
          Shell.pipeline([ShellExec.shell(script), ShellExec.make("head", ["-n", "2"])]),
        )
        expect(events.map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join("")).toBe("y\ny\n")
        expect(events.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 0, stages: [{}, { exitCode: 0 }] })
      }
    })))

  it("ends the processes that a lost host left of a command, by its id", () =>
    within(
      Effect.gen(function* () {
        const { path, size } = yield* workshop
        const shell = yield* Shell
        const exec = ShellExec.shell(
          `(trap '' TERM; while :; do printf . >> '${path("left")}'; sleep 0.02; done) >/dev/null 2>&1 & echo up`,
        )
        yield* Shell.run(exec)
        yield* eventually("it runs", () => size("left") > 2)
        const report = yield* shell.endOrphans?.(exec.commandId, { grace: "200 millis" }) ?? Effect.die("none")
        expect(report).toMatchObject({ survivors: [] })
        expect(report.ended).toBeGreaterThan(0)
        const before = size("left")
        yield* Effect.sleep("200 millis")
        expect(size("left")).toBe(before)
        expect(yield* shell.endOrphans?.(exec.commandId) ?? Effect.die("none")).toMatchObject({ ended: 0, pids: [] })
      }).pipe(Effect.scoped),
    ))

  it("keeps the output and the exits of many commands apart", () => {
    const numbers = Array.from({ length: rounds(400) }, (_, n) => n)
    return within(
      Effect.forEach(numbers, (n) =>
        Effect.gen(function* () {
          const size = (n * 7_919) % 200_000
          const letter = String.fromCharCode(97 + n % 26)
          const script = `head -c ${size} /dev/zero | tr '\\0' ${letter}; exit ${n % 200}`
          const { chunks, last } = yield* collect(ShellExec.shell(script))
          expect(chunks === letter.repeat(size)).toBe(true)
          expect(last).toMatchObject({ exitCode: n % 200 })
        }), { concurrency: 9, discard: true }),
      { maxConcurrency: 9 },
    )
  })

  it("sends and receives 20 MB each way", () => {
    const piece = new Uint8Array(65_536).fill(0x62)
    let bytes = 0
    return within(
      Shell.bytes(ShellExec.make("cat"), { stdin: Stream.take(Stream.forever(Stream.make(piece)), 305) }).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => void (event._tag === "ShellBytes" && (bytes += event.bytes.length)))
        ),
        Effect.andThen(Effect.sync(() => expect(bytes).toBe(305 * 65_536))),
      ),
    )
  })

  it("is a layer that fails with a typed error", async () => {
    const layer = SshShell.layer({ ...server.options(), port: 1, reconnect: undefined })
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
    expect(error).toMatchObject({ _tag: "SshError", reason: { _tag: "Refused" } })
  })
})
