/** A connection whose channels are played by the test. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Duplex, PassThrough } from "node:stream"
import ssh2, { type ClientChannel } from "ssh2"
import { Loss } from "../../../src/leaves/ssh/Loss.ts"
import type { SshLink, SshTransport } from "../../../src/leaves/ssh/SshConnection.ts"

export class FakeChannel extends Duplex implements ClientChannel {
  readonly server = false
  readonly type = "session"
  readonly incoming = undefined
  readonly outgoing = undefined
  readonly stdin = this
  readonly stdout = this
  readonly stderr = new PassThrough()
  /** The text that the program has sent. */
  sent = ""
  isClosed = false

  constructor() {
    super({
      read: () => {},
      write: (bytes, _encoding, done) => {
        this.sent += new TextDecoder().decode(bytes)
        done()
      },
    })
  }

  /** Answers as the watchdog script does when it starts. */
  start(line: string): void {
    const nonce = /[0-9a-f]{32}/.exec(line)?.[0] ?? ""
    this.push(`${nonce}\nos Linux\nuid 1000\nproc yes\n${nonce}\n`)
  }

  close(): void {
    this.isClosed = true
    this.emit("close")
  }

  eof(): void {}
  exit(): void {}
  setWindow(): void {}
  signal(): void {}
}

export interface FakeConnection {
  readonly transport: SshTransport
  readonly channels: Array<FakeChannel>
}

/** `onOpen` is called with each channel, its number from 0, and the line that it runs. */
export const makeFakeConnection = (
  onOpen: (channel: FakeChannel, index: number, line: string) => void,
): FakeConnection => {
  const channels: Array<FakeChannel> = []
  const { isLost, lose, onLost } = new Loss()
  const client = new ssh2.Client()
  client.exec = (line: string, ...rest: ReadonlyArray<unknown>) => {
    const channel = new FakeChannel()
    const index = channels.push(channel) - 1
    const done = rest.at(-1)
    if (typeof done === "function") done(undefined, channel)
    onOpen(channel, index, line)
    return client
  }
  const link: SshLink = { client, scope: Scope.makeUnsafe(), drop: lose, isLost, onLost }
  return {
    channels,
    transport: { server: "a:22", link: Effect.succeed(link), connectTimeoutMillis: 60_000, keepAliveMillis: 60_000 },
  }
}
