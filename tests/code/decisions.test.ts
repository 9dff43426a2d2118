/** The decisions about running code, and its edge cases, on real interpreters. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { LocalShell } from "@sluice/shell"
import * as Code from "@sluice/shell/code"
import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { bash, has, liveWith, path, python, result, run } from "./support.ts"

const pythons = liveWith("python3")

describe("Process Spawning Strategy", { concurrent: true }, () => {
  it.live("gives each execution a process of its own, which keeps nothing for the next", () =>
    Effect.gen(function* () {
      const first = yield* run(bash("remembered=1; cd /; echo $$ $remembered"))
      const second = yield* run(bash("echo $$ $remembered"))
      expect(first.stdout).toMatch(/^\d+ 1\n$/)
      expect(second.stdout).toMatch(/^\d+\n$/)
      expect(second.stdout.trim()).not.toBe(first.stdout.split(" ")[0])
    }))

  it.live("inherits the environment of its parent", () =>
    Effect.gen(function* () {
      expect((yield* run(bash('printf %s "$HOME"'))).stdout).toBe(process.env["HOME"])
    }))

  pythons(
    "wraps only bash code in a shell: shell syntax in other code is not interpreted",
    () =>
      Effect.gen(function* () {
        const text = '$HOME `id` $(id) ; echo no | cat > /dev/null && \\ " * ~'
        expect((yield* run(python(`print(${JSON.stringify(text)})`))).stdout).toBe(`${text}\n`)
        const script = { language: "javascript", code: `console.log(${JSON.stringify(text)})` }
        expect((yield* run(script)).stdout).toBe(`${text}\n`)
      }),
  )
})

describe("Language Mapping", { concurrent: true }, () => {
  it.effect("maps bash, javascript and python to bash -c, node -e and python3 -c", () =>
    Effect.gen(function* () {
      const words = (language: string) =>
        Effect.gen(function* () {
          yield* Code.run({ language, code: "the code" })
          const { exec } = (yield* MockShell.calls).at(-1) ?? {}
          return [exec?.command, ...exec?.arguments ?? []]
        }).pipe(Effect.provide(MockShell.layer([MockShell.on(() => true, MockRun.exit(0))])))
      // -- : what follows is the code, dash or not. -u : what was printed before a timeout is there.
      expect(yield* words("bash")).toEqual(["bash", "-c", "--", "the code"])
      expect(yield* words("javascript")).toEqual(["node", "-e", "the code"])
      expect(yield* words("python")).toEqual(["python3", "-u", "-c", "the code"])
    }))

  pythons("runs Python 3 for python", () =>
    Effect.gen(function* () {
      expect((yield* run(python("import sys; print(sys.version_info[0])"))).stdout).toBe("3\n")
    }))

  // Version 1 of the document ignores the version; its version 2 names nvm and pyenv, and `version.test.ts` has the rest.
  it.live("runs the requested version", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(bash("echo $BASH_VERSION"))
      const version = /^[\d]+\.[\d]+/.exec(stdout)?.[0] ?? ""
      expect((yield* run(bash("echo $BASH_VERSION", { version }))).stdout).toBe(stdout)
    }))
})

describe("Timeout Handling", { concurrent: true }, () => {
  it.effect("waits 30 seconds when no other time is given, and says so", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Code.result(bash("sleep 99")))
      yield* TestClock.adjust("29999 millis")
      expect(running.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(running)).toMatchObject({
        success: false,
        level: "resource",
        error: "exec: Process timeout after 30s (TIMEOUT)",
        stdout: "so far\n",
      })
    }).pipe(
      Effect.provide(MockShell.layer([MockShell.on(() => true, MockRun.stdout("so far\n"), MockRun.hang)])),
    ))

  it.live("sends SIGTERM, and returns the output until then", () =>
    Effect.gen(function* () {
      const code = "trap 'echo asked; exit 1' TERM; echo out; echo err >&2; sleep 60 & wait"
      expect(yield* result(bash(code, { timeout: "1 second" }))).toMatchObject({
        success: false,
        level: "resource",
        error: "exec: Process timeout after 1s (TIMEOUT)",
        stdout: "out\nasked\n",
        stderr: "err\n",
      })
    }))

  it.live("kills a process that ignores SIGTERM with SIGKILL", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const code = `trap '' TERM; echo deaf; ${heartbeat(path("heartbeat"))}`
      const error = yield* Effect.flip(run(bash(code, { timeout: "1 second", grace: "100 millis" })))
      expect(error).toMatchObject({ _tag: "ResourceError", reason: { _tag: "Timeout" }, stdout: "deaf\n" })
      const beats = size("heartbeat")
      expect(beats).toBeGreaterThan(0)
      expect(yield* settled(() => size("heartbeat"))).toBe(beats)
    }))

  pythons("has what Python printed before it was ended", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const code = `print("so far")\nopen(${JSON.stringify(path("up"))}, "w").write("x")\nimport time; time.sleep(60)`
      const abort = new AbortController()
      const running = yield* Effect.forkChild(result(python(code), { signal: abort.signal }))
      yield* eventually("Python is up", () => size("up") > 0)
      abort.abort()
      expect(yield* Fiber.join(running)).toMatchObject({
        success: false,
        level: "resource",
        error: "exec: python3 was cancelled (CANCELLED)",
        stdout: "so far\n",
      })
    }))
})

describe("Output Capture", { concurrent: true }, () => {
  it.live("buffers both streams whole", () =>
    Effect.gen(function* () {
      const code = "for i in 1 2 3; do echo o$i; echo e$i >&2; sleep 0.02; done"
      expect(yield* run(bash(code))).toMatchObject({
        exitCode: 0,
        stdout: "o1\no2\no3\n",
        stderr: "e1\ne2\ne3\n",
        stdoutBytes: 9,
        stderrBytes: 9,
      })
    }))

  it.live("keeps 1 MiB of both streams together", () =>
    Effect.gen(function* () {
      const half = "head -c 524288 /dev/zero | tr '\\0' "
      const all = yield* run(bash(`${half} o; ${half} e >&2`))
      expect([all.stdout.length, all.stderr.length]).toEqual([524_288, 524_288])
      expect(yield* result(bash(`${half} o; ${half} e >&2; echo >&2`))).toMatchObject({
        success: false,
        level: "resource",
        exitCode: 0,
      })
    }))

  it.live("trims from the middle, and preserves the start and the end", () =>
    Effect.gen(function* () {
      const { error, stderr, stderrBytesOmitted, stdout, stdoutBytes, stdoutBytesOmitted } = yield* result(
        bash("echo why >&2; echo start; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end"),
      )
      expect(stdout.startsWith("start\nxxx")).toBe(true)
      expect(stdout.endsWith("xxx\nend\n")).toBe(true)
      expect(stdout).toContain(`\n[… ${stdoutBytesOmitted} bytes left out …]\n`)
      expect(stdoutBytes - stdoutBytesOmitted).toBe(1_048_576 - "why\n".length)
      expect([stderr, stderrBytesOmitted]).toEqual(["why\n", 0])
      expect(error).toBe(
        `exec: output exceeded 1048576 bytes, ${stdoutBytesOmitted} bytes were omitted from its middle (EMSGSIZE)`,
      )
    }))

  it.live("lets code that writes too much run to its end", () =>
    Effect.gen(function* () {
      const { path, read } = yield* workshop
      const code = `head -c 10000000 /dev/zero | tr '\\0' x; echo done > '${path("end")}'`
      const error = yield* Effect.flip(run(bash(code, { maxOutputBytes: 1_000 })))
      expect(error).toMatchObject({
        _tag: "ResourceError",
        reason: { _tag: "OutputExceeded", maxOutputBytes: 1_000, bytesOmitted: 9_999_000 },
        exitCode: 0,
        stdoutBytes: 10_000_000,
      })
      expect(read("end")).toBe("done\n")
    }))

  it.live("preserves line endings", () =>
    Effect.gen(function* () {
      expect((yield* run(bash("printf 'a\\r\\nb\\rc\\n\\n d'"))).stdout).toBe("a\r\nb\rc\n\n d")
    }))

  it.live("reads UTF-8, also where it comes byte by byte", () =>
    Effect.gen(function* () {
      const code = "for b in '\\xf0' '\\x9f' '\\x98' '\\x80'; do printf $b; sleep 0.03; done; printf '\\xef\\xbb\\xbfé'"
      expect((yield* run(bash(code))).stdout).toBe("😀\ufeffé")
    }))
})

describe("Working Directory", { concurrent: true }, () => {
  it.live("runs where this process is, when no directory is given", () =>
    Effect.gen(function* () {
      expect((yield* run(bash("pwd -P"))).stdout).toBe(`${process.cwd()}\n`)
    }))

  it.live("runs in the given directory, and leaves that of this process alone", () =>
    Effect.gen(function* () {
      const before = process.cwd()
      const { directory } = yield* workshop
      expect((yield* run(bash("pwd -P", { cwd: directory }))).stdout).toBe(`${directory}\n`)
      expect(process.cwd()).toBe(before)
    }))

  it.live("fails fast when the directory does not exist, and starts nothing", () =>
    Effect.gen(function* () {
      const { exists, path } = yield* workshop
      const request = bash(`touch '${path("ran")}'`, { cwd: "/tmp/ghost" })
      expect(yield* result(request)).toMatchObject({
        success: false,
        level: "pre-execution",
        error: "exec: Working directory does not exist '/tmp/ghost' (ENOENT)",
      })
      expect(exists("ran")).toBe(false)
    }))

  it.live("distinguishes a file from a directory", () =>
    Effect.gen(function* () {
      const { write } = yield* workshop
      const file = write("file", "")
      const { error } = yield* result(bash("true", { cwd: file }))
      expect(error).toBe(`exec: Working directory is not a directory '${file}' (ENOTDIR)`)
    }))
})

describe("Error Handling Hierarchy", { concurrent: true }, () => {
  it.live("1. Pre-execution errors: an invalid language", () =>
    Effect.gen(function* () {
      const got = yield* result({ language: "pyhton", code: "print(1)" })
      expect(got).toMatchObject({ success: false, level: "pre-execution", stdout: "", stderr: "" })
      expect(got.error).toMatch(
        /^exec: no interpreter for the language "pyhton"; there are bash, javascript, python, .*; did you mean "python"\? \(EINVAL\)$/,
      )
      expect(got).not.toHaveProperty("exitCode")
    }))

  it.live("1. Pre-execution errors: property names of objects are not languages", () =>
    Effect.gen(function* () {
      for (const language of ["__proto__", "constructor", "toString", "", "x".repeat(100_000)]) {
        const error = yield* Effect.flip(run({ language, code: "" }))
        expect(error).toMatchObject({ _tag: "PreExecutionError", reason: { _tag: "UnknownLanguage", language } })
        expect(error.message.length).toBeLessThan(400)
      }
    }))

  it.live("2. Execution errors: an exit code that is not zero", () =>
    Effect.gen(function* () {
      const got = yield* result(bash("echo out; echo err >&2; exit 42"))
      expect(got).toMatchObject({ success: false, exitCode: 42, stdout: "out\n", stderr: "err\n", level: "execution" })
      expect(got).not.toHaveProperty("error")
    }))

  it.live("2. Execution errors: a process that crashes", () =>
    Effect.gen(function* () {
      const got = yield* result(bash("echo out; kill -SEGV $$"))
      expect(got).toMatchObject({
        success: false,
        exitCode: 139,
        signal: "SIGSEGV",
        stdout: "out\n",
        level: "execution",
      })
      const { message } = yield* Effect.flip(run(bash("kill -KILL $$")))
      expect(message).toBe("exec: Process was ended by SIGKILL, as when memory runs out (SIGNAL)")
    }))

  it.live("3. Resource errors: partial results and the error", () =>
    Effect.gen(function* () {
      expect(yield* result(bash("echo part; sleep 60", { timeout: "1 second" }))).toMatchObject({
        success: false,
        level: "resource",
        stdout: "part\n",
        error: "exec: Process timeout after 1s (TIMEOUT)",
      })
    }))

  it.live("3. Resource errors: out of memory, without a limit of ours", () =>
    Effect.gen(function* () {
      const code = "console.log('part'); const all = []; for (;;) all.push(new Array(1e5).fill(1))"
      const env = { NODE_OPTIONS: "--max-old-space-size=30" }
      const request = { language: "javascript", code, env, timeout: "30 seconds" } as const
      const outOfMemory = { level: "resource", error: "exec: Process ran out of memory (ENOMEM)" }
      expect(yield* result(request)).toMatchObject({ ...outOfMemory, success: false, stdout: "part\n" })
      const streamed = yield* Effect.flip(Stream.runDrain(Code.stream(request)).pipe(Effect.provide(LocalShell.layer)))
      expect(streamed).toMatchObject({ reason: { _tag: "ResourceExhausted", resource: "memory" } })
      // Words alone are the program's own.
      for (
        const words of ["MemoryError", "RangeError: Array buffer allocation failed", "JavaScript heap out of memory"]
      ) {
        const own = yield* result(bash(`echo '${words}' >&2; exit 1`))
        expect(own).toMatchObject({ level: "execution", exitCode: 1 })
      }
    }))

  pythons(
    "3. Resource errors: an allocation in Python that fails, without a limit of ours",
    () =>
      Effect.gen(function* () {
        const got = yield* result(python("print('part'); bytearray(1 << 60)"))
        const error = "exec: Process ran out of memory (ENOMEM)"
        expect(got).toMatchObject({ success: false, level: "resource", error, exitCode: 1, stdout: "part\n" })
        const caught = yield* result(python("try:\n  bytearray(1 << 60)\nexcept MemoryError:\n  print('ok')"))
        expect(caught).toMatchObject({ success: true, stdout: "ok\n" })
      }),
  )

  it.effect("3. Resource errors: a machine that has no memory left", () =>
    Effect.gen(function* () {
      expect(yield* Code.result(bash("true"))).toMatchObject({
        success: false,
        level: "resource",
        error: "exec: out of memory (ENOMEM)",
      })
    }).pipe(Effect.provide(MockShell.layer([
      MockShell.on(
        () => true,
        MockRun.fail({ _tag: "ResourceExhausted", resource: "memory", code: "ENOMEM" }, "exec: out of memory (ENOMEM)"),
      ),
    ]))))
})

describe("Security Model", { concurrent: true }, () => {
  it.live("executes code unchanged: quotes, newlines, tabs and words that look like options", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(bash("printf '%s|' \"a'b\" 'c\"d'\n\tprintf 'e\\tf'\n# $(exit 9)\n"))
      expect(stdout).toBe("a'b|c\"d|e\tf")
      expect((yield* run({ language: "javascript", code: "-console.log('dash')" })).stdout).toBe("dash\n")
      expect(yield* result(bash("-no-such-thing"))).toMatchObject({ exitCode: 127, level: "execution" })
      for (const language of ["bash", "javascript"]) expect((yield* run({ language, code: "" })).stdout).toBe("")
    }))

  it.live("leaves an audit trail: a journal around the shell has every execution", () =>
    Effect.gen(function* () {
      const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
      const entries = yield* Effect.gen(function* () {
        const done = yield* Code.run(bash("echo trail", { commandId: "audited" }))
        expect(done.stdout).toBe("trail\n")
        return yield* (yield* Journal).read({ filter: { correlationId: "audited" } })
      }).pipe(Effect.provide(layer))
      expect(JSON.stringify(entries[0]?.body)).toContain("echo trail")
      expect(entries.at(-1)?.tag).toBe("ShellOutput")
    }))
})

describe("Edge Cases", { concurrent: true }, () => {
  it.live("Missing Interpreter: says that it is not in PATH, before anything is started", () =>
    Effect.gen(function* () {
      let started = false
      const got = yield* result(python("print(1)", { env: { PATH: "/nowhere" } }), {
        onSpawn: () => {
          started = true
        },
      })
      expect(got).toMatchObject({
        success: false,
        level: "pre-execution",
        error: "exec: python3 not found in PATH (ENOENT)",
      })
      expect(started).toBe(false)
    }))

  it.live("Zombie Processes: the children of code end with it at the timeout", () =>
    Effect.gen(function* () {
      const { exists, path, size } = yield* workshop
      const code = `(${heartbeat(path("heartbeat"))}) & (setsid sh -c "${heartbeat(path("far"))}" &) ; sleep 60`
      yield* Effect.flip(run(bash(code, { timeout: "1 second", grace: "200 millis" })))
      const [near, far] = [size("heartbeat"), size("far")]
      expect(near).toBeGreaterThan(0)
      expect(exists("far")).toBe(has("setsid"))
      expect([yield* settled(() => size("heartbeat")), yield* settled(() => size("far"))]).toEqual([near, far])
    }))

  it.live("Zombie Processes: the children of code end with it when it is interrupted", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const running = yield* Effect.forkChild(
        run(bash(`(${heartbeat(path("heartbeat"))}) & wait`, { grace: "200 millis" })),
      )
      yield* eventually("it runs", () => size("heartbeat") > 2)
      yield* Fiber.interrupt(running)
      const beats = size("heartbeat")
      expect(yield* settled(() => size("heartbeat"))).toBe(beats)
    }))

  it.live("Zombie Processes: code has ended once its process has, even if another holds its output open", () =>
    Effect.gen(function* () {
      expect((yield* run(bash("sleep 5 & echo done"))).stdout).toBe("done\n")
    }))

  it.live("Binary Output: is an error, and no corrupted text", () =>
    Effect.gen(function* () {
      const got = yield* result(bash("echo text; printf '\\x89PNG\\xff'; echo more; echo why >&2; exit 0"))
      expect(got).toMatchObject({
        success: false,
        level: "resource",
        exitCode: 0,
        error: "exec: output is not UTF-8 text: byte 5 of stdout is invalid (EILSEQ)",
        stdout: "text\n",
        stderr: "why\n",
        stdoutBytes: 15,
        stdoutBytesOmitted: 10,
      })
      expect(JSON.stringify(got)).not.toContain("\ufffd")
    }))

  it.live("Binary Output: text in another encoding is binary, and a replacement character is text", () =>
    Effect.gen(function* () {
      const latin = yield* Effect.flip(run(bash("printf 'caf\\xe9' >&2")))
      expect(latin).toMatchObject({ reason: { _tag: "BinaryOutput", stream: "stderr", offset: 3 } })
      expect((yield* run(bash("printf '\\xef\\xbf\\xbd \\x00'"))).stdout).toBe("\ufffd \0")
    }))

  it.live("Interactive Commands: get the end of file, and do not hang until the timeout", () =>
    Effect.gen(function* () {
      expect((yield* run(bash("read -r line; echo $? [$line]"))).stdout).toBe("1 []\n")
      const script = { language: "javascript", code: "process.stdin.on('end', () => console.log('end')).resume()" }
      expect((yield* run(script)).stdout).toBe("end\n")
    }))

  pythons("Interactive Commands: a question in Python is an error of the code", () =>
    Effect.gen(function* () {
      const got = yield* result(python("input('name? ')"))
      expect(got).toMatchObject({ success: false, level: "execution", exitCode: 1, stdout: "name? " })
      expect(got.stderr).toContain("EOFError")
    }))

  it.live("Windows: has no shell of its own here", () =>
    Effect.gen(function* () {
      for (const language of ["cmd", "powershell"]) {
        expect(yield* Effect.flip(run({ language, code: "dir" }))).toMatchObject({
          reason: { _tag: "UnknownLanguage" },
        })
      }
    }))

  it.live("looks for interpreters in the PATH that the code will have", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* workshop
      write("bash", "#!/bin/sh\necho another bash: $3\n", 0o755)
      const request = bash("hello", { env: { PATH: `${directory}:${path}` } })
      expect((yield* run(request)).stdout).toBe("another bash: hello\n")
    }))
})
