import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Extension, Sandbox } from "@sluice/shell/sandbox"

class Users extends Context.Service<Users, { readonly find: (name: string) => Effect.Effect<number> }>()("Users") {}

class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { message: Schema.String }) {}

const run = <R>(mytool: Extension.EffectExtension<R>, script: string, options: Sandbox.SandboxOptions = {}) =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ ...options, extensions: { mytool: yield* Extension.make(mytool) } })
    const { exitCode, stderr, stdout } = yield* sandbox.run(script)
    return { exitCode, stderr, stdout }
  }))

it.live("has services, files, commands and streams", () =>
  Effect.gen(function* () {
    const mytool: Extension.EffectExtension<Users> = ({ args: [path = ""], exec, files, stdin, stream, write }) =>
      Effect.gen(function* () {
        const users = yield* Users
        const name = yield* files.readText(path)
        yield* write(`${name} ${yield* users.find(name)}\n`)
        yield* files.writeFile("copy", name)
        const { stdout } = yield* exec("tr a-z A-Z < copy")
        const events = yield* Stream.runCollect(stream("echo x; exit 2"))
        return Stream.concat(
          Stream.map(stdin, (bytes) => bytes.map((byte) => byte + 1)),
          Stream.make(`${stdout} ${events.map((event) => event._tag)}\n`),
        )
      })
    const made = run(mytool, "echo -n abc | mytool name", { files: { name: "ada" } })
    const users = Effect.provideService(made, Users, { find: (name) => Effect.succeed(name.length) })
    expect(yield* users).toEqual({ exitCode: 0, stderr: "", stdout: "ada 3\nbcdADA ScriptText,ScriptExit\n" })
  }))

it.live("becomes exit 1 when it fails, and has the exit code that it returns", () =>
  Effect.gen(function* () {
    const fails: Extension.EffectExtension = () => Effect.fail(new NotFound({ message: "no such user" }))
    expect(yield* run(fails, "mytool")).toEqual({ exitCode: 1, stderr: "mytool: no such user\n", stdout: "" })
    const missing: Extension.EffectExtension = ({ files }) => files.readText("none")
    expect(yield* run(missing, "mytool")).toMatchObject({
      exitCode: 1,
      stderr: "mytool: cannot read none: No such file or directory (ENOENT)\n",
    })
    const streams: Extension.EffectExtension = () =>
      Effect.succeed({ exitCode: 3, stdout: Stream.make("a", "b"), stderr: "e" })
    expect(yield* run(streams, "mytool")).toEqual({ exitCode: 3, stderr: "e", stdout: "ab" })
    const later: Extension.EffectExtension = () =>
      Effect.succeed(Stream.concat(Stream.make("a"), Stream.fail(new NotFound({ message: "then" }))))
    expect(yield* run(later, "mytool")).toEqual({ exitCode: 1, stderr: "mytool: then\n", stdout: "a" })
  }))

it.live("is interrupted when its command is killed, and when the sandbox is closed", () =>
  Effect.gen(function* () {
    const interrupted: Array<string> = []
    const mytool: Extension.EffectExtension = ({ args: [name = ""] }) =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push(name)))
    yield* run(mytool, "timeout 0.05 mytool timeout; mytool close & sleep 0.05")
    yield* Effect.promise(() => expect.poll(() => interrupted).toEqual(["timeout", "close"]))
  }))

/** Closes a sandbox while an extension runs; returns what was noted by the time it was closed. */
const closeWhileRunning = (
  make: (note: (what: string) => Effect.Effect<void>) => Extension.EffectExtension,
  script = "mytool",
) =>
  Effect.gen(function* () {
    const notes: Array<string> = []
    const started = Promise.withResolvers<void>()
    const note = (what: string) => Effect.sync(() => void notes.push(what))
    const mytool = make((what) => what === "started" ? Effect.sync(() => started.resolve()) : note(what))
    yield* Effect.scoped(Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({ extensions: { mytool: yield* Extension.make(mytool) } })
      yield* Effect.forkChild(Effect.exit(sandbox.run(script)))
      yield* Effect.promise(() => started.promise)
    }))
    return notes
  })

it.live("closing waits for the finalizers of its fiber and of its streams", () =>
  Effect.gen(function* () {
    const finalizer = (note: (what: string) => Effect.Effect<void>) =>
      Effect.andThen(Effect.sleep(50), note("finalized"))
    const fiber = closeWhileRunning((note) => () =>
      Effect.ensuring(Effect.andThen(note("started"), Effect.never), finalizer(note))
    )
    expect(yield* fiber).toEqual(["finalized"])
    const stream = closeWhileRunning((note) => () =>
      Effect.succeed(
        Stream.ensuring(Stream.fromEffect(Effect.andThen(note("started"), Effect.never)), finalizer(note)),
      )
    )
    expect(yield* stream).toEqual(["finalized"])
  }))

it.live("closing waits five seconds at most, and not for a plain function", () =>
  Effect.gen(function* () {
    const start = performance.now()
    const endless = closeWhileRunning((note) => () =>
      Effect.ensuring(Effect.andThen(note("started"), Effect.never), Effect.never)
    )
    expect(yield* endless).toEqual([])
    expect(performance.now() - start).toBeGreaterThan(4_000)
    const started = Promise.withResolvers<void>()
    const plain = () => {
      started.resolve()
      return new Promise<string>(() => {})
    }
    yield* Effect.scoped(Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({ extensions: { plain } })
      yield* Effect.forkChild(Effect.exit(sandbox.run("plain")))
      yield* Effect.promise(() => started.promise)
    }))
  }), 30_000)
