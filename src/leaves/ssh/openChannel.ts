/** Opens channels of a connection. */
import * as Effect from "effect/Effect"
import type { ClientChannel, ExecOptions } from "ssh2"
import { errorMessage } from "../../base/errorMessage.ts"
import { callbackLater } from "../../base/waits.ts"
import { pause } from "../../host/waitRealTime.ts"
import { answeredWithin } from "./answeredWithin.ts"
import type { SshLink } from "./SshConnection.ts"

/** A channel that the server did not open. `isFull`: the server permits no more. */
export class ChannelError extends Error {
  readonly _tag = "ChannelError"
  override readonly name = "ChannelError"
  readonly isFull: boolean

  constructor(isFull: boolean, message: string) {
    super(message)
    this.isFull = isFull
  }
}

const openOnce = (link: SshLink, line: string, options: ExecOptions): Effect.Effect<ClientChannel, ChannelError> =>
  callbackLater((resume) => {
    if (link.isLost()) return resume(Effect.fail(new ChannelError(false, "the connection is lost")))
    const forget = link.onLost(() => resume(Effect.fail(new ChannelError(false, "the connection is lost"))))
    let isWanted = true
    let opened: ClientChannel | undefined
    const close = (channel: ClientChannel): void => {
      channel.resume()
      channel.close()
    }
    try {
      link.client.exec(line, options, (error, channel) => {
        forget()
        if (error !== undefined) {
          // RFC 4254, 5.1: OpenSSH has 10 sessions for a connection (MaxSessions), and then says only that the open failed.
          const isFull = "reason" in error || /open fail/i.test(error.message)
          return resume(Effect.fail(new ChannelError(isFull, errorMessage(error))))
        }
        if (!isWanted) return close(channel)
        opened = channel
        resume(Effect.succeed(channel))
      })
    } catch {
      // ssh2 throws if the connection has ended without an event yet.
      forget()
      link.drop()
      resume(Effect.fail(new ChannelError(false, "the connection is lost")))
    }
    return Effect.sync(() => {
      isWanted = false
      forget()
      // It was opened, and this fiber interrupted before it went on with it.
      if (opened !== undefined) close(opened)
    })
  })

/** Pause after which a refused channel is tried again: others of this connection may have been closed by then. */
const pauseMillis = 50

/**
 * Opens a channel that runs a line. It tries again while the server refuses for lack of channels: without limit while
 * `hasOthers()`, otherwise for `millis`, which also bounds each answer.
 */
export const openChannel = (
  link: SshLink,
  line: string,
  options: ExecOptions,
  millis: number,
  hasOthers: () => boolean,
): Effect.Effect<ClientChannel, ChannelError> =>
  Effect.suspend(() => {
    const deadline = performance.now() + millis
    const answered = Effect.flatMap(
      answeredWithin(openOnce(link, line, options), millis),
      (channel) =>
        channel === undefined
          ? Effect.fail(new ChannelError(false, `it did not open a session within ${millis} ms`))
          : Effect.succeed(channel),
    )
    const open: Effect.Effect<ClientChannel, ChannelError> = Effect.catchIf(
      answered,
      ({ isFull }: ChannelError) => isFull && (hasOthers() || performance.now() < deadline),
      () => Effect.andThen(pause(pauseMillis), open),
    )
    return open
  })
