import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import ssh2 from "ssh2"
import { forwardTo } from "../../../src/leaves/ssh/connectHop.ts"
import { Loss } from "../../../src/leaves/ssh/Loss.ts"
import { openChannel } from "../../../src/leaves/ssh/openChannel.ts"
import { SftpSession } from "../../../src/leaves/ssh/SftpSession.ts"
import type { SshLink } from "../../../src/leaves/ssh/SshConnection.ts"

/** A connection that has ended, which ssh2 has not said yet: its calls throw. */
const makeEnded = () => {
  const { isLost, lose, onLost } = new Loss()
  const link: SshLink = { client: new ssh2.Client(), scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
  return link
}

it("a channel of a connection that has ended unnoticed fails, and drops the connection", async () => {
  const link = makeEnded()
  const error = await Effect.runPromise(Effect.flip(openChannel(link, "true", {}, 60_000, () => true)))
  expect(error).toMatchObject({ _tag: "ChannelError", isFull: false, message: "the connection is lost" })
  expect(link.isLost()).toBe(true)
})

it("a session of files on a connection that has ended unnoticed is lost, so that a transfer tries again", async () => {
  const link = makeEnded()
  const session = new SftpSession({
    server: "a:22",
    link: Effect.succeed(link),
    connectTimeoutMillis: 60_000,
    keepAliveMillis: 1_000,
  })
  const error = await Effect.runPromise(Effect.flip(session.opened))
  expect(error).toMatchObject({ code: "ECONNRESET" })
  expect(link.isLost()).toBe(true)
})

it("a channel that the server never confirms fails in time, also through a jump host", async () => {
  const { isLost, lose, onLost } = new Loss()
  const client = new ssh2.Client()
  client.exec = () => client
  client.forwardOut = () => client
  const link: SshLink = { client, scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
  const error = await Effect.runPromise(Effect.flip(openChannel(link, "true", {}, 50, () => true)))
  expect(error).toMatchObject({ isFull: false, message: "it did not open a session within 50 ms" })
  const hop = { host: "b", port: 22, user: "me", auth: [], hostKey: { keys: [] } }
  const hopError = await Effect.runPromise(Effect.flip(forwardTo(client, hop, { ...hop, host: "a" }, 50)))
  expect(hopError).toMatchObject({ reason: { _tag: "TimedOut", server: "b:22" } })
})

it("a channel that is opened while its opening is interrupted is closed", async () => {
  const { isLost, lose, onLost } = new Loss()
  const client = new ssh2.Client()
  const link: SshLink = { client, scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
  const calls: Array<string> = []
  let confirm = (): void => {}
  client.exec = (...args: ReadonlyArray<unknown>) => {
    const [answer] = args.slice(-1)
    const channel = { resume: () => calls.push("resume"), close: () => calls.push("close") }
    confirm = () => typeof answer === "function" ? answer(undefined, channel) : undefined
    return client
  }
  const fiber = Effect.runFork(openChannel(link, "true", {}, 60_000, () => true))
  // Its confirmation and the interruption come in one turn of the event loop.
  confirm()
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect(calls).toEqual(["resume", "close"])
})

for (const when of ["while", "after"] as const) {
  it(`a session of files that is opened ${when} its opening is interrupted is ended`, async () => {
    const { isLost, lose, onLost } = new Loss()
    const client = new ssh2.Client()
    const link: SshLink = { client, scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
    let ends = 0
    let confirm = (): void => {}
    client.sftp = (...args: ReadonlyArray<unknown>) => {
      const [answer] = args.slice(-1)
      confirm = () => typeof answer === "function" ? answer(undefined, { end: () => ends++ }) : undefined
      return client
    }
    const session = new SftpSession({
      server: "a:22",
      link: Effect.succeed(link),
      connectTimeoutMillis: 60_000,
      keepAliveMillis: 1_000,
    })
    const fiber = Effect.runFork(session.opened)
    if (when === "while") confirm()
    await Effect.runPromise(Fiber.interrupt(fiber))
    if (when === "after") confirm()
    expect(ends).toBe(1)
  })
}

it("a handle that comes while its call is interrupted is given back", async () => {
  const { isLost, lose, onLost } = new Loss()
  const link: SshLink = { client: new ssh2.Client(), scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
  const { client } = link
  let sftp = (): void => {}
  client.sftp = (...args: ReadonlyArray<unknown>) => {
    const [answer] = args.slice(-1)
    sftp = () => typeof answer === "function" ? answer(undefined, { on: () => {} }) : undefined
    return client
  }
  const session = new SftpSession({
    server: "a:22",
    link: Effect.succeed(link),
    connectTimeoutMillis: 60_000,
    keepAliveMillis: 1_000,
  })
  const opening = Effect.runFork(session.opened)
  sftp()
  const open = await Effect.runPromise(Fiber.join(opening))
  const late: Array<string> = []
  let answer = (_: undefined, __: string): void => {}
  const call = session.callOn<string>(open, (_, done) => void (answer = done), {
    onLate: (handle) => void late.push(handle),
  })
  const fiber = Effect.runFork(call)
  answer(undefined, "handle")
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect(late).toEqual(["handle"])
})
