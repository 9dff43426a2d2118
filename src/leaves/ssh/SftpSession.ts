/**
 * Calls the SFTP server of a connection, over a session that is reopened after a loss, and translates its failures to POSIX
 * codes.
 *
 * Source: draft-ietf-secsh-filexfer-02, 7; OpenSSH's PROTOCOL, 4.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SFTPWrapper } from "ssh2"
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
import { callbackLater } from "../../base/waits.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { BackendError } from "../files/FileBackend.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { Loss } from "./Loss.ts"
import type { SshLink, SshTransport } from "./SshConnection.ts"
import { sshCode, SshError } from "./SshError.ts"

export interface OpenSession extends Pick<Loss, "isLost" | "onLost"> {
  readonly sftp: SFTPWrapper
  /** Ends it: its server does not answer. */
  readonly drop: () => void
}

export interface CallOptions<A> {
  /** Called with an answer that comes after the call was interrupted. */
  readonly onLate?: (value: A) => void
  /** Fails the call with `ETIMEDOUT`, and drops the session, after this time: for a call that cannot be interrupted. */
  readonly millis?: number
}

/** The code of a call whose session was lost before its answer. */
export const lostSessionCode = "ECONNRESET"

/** The code of a call that its server did not answer in time. */
export const timedOutCode = "ETIMEDOUT"

/** Status codes of the protocol; `FAILURE` stands for many errors. */
const codes: Readonly<Record<number, string>> = {
  1: "EOF",
  2: "ENOENT",
  3: "EACCES",
  4: "EFAILURE",
  5: "EINVAL",
  6: lostSessionCode,
  7: lostSessionCode,
  8: "ENOTSUP",
}

/** The failure of a call; `EFAILURE` if the server gives no details. */
const toError = (error: unknown, session: OpenSession, server: string): BackendError => {
  const status = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  if (session.isLost() || /no response from server|not connected|channel .*closed/i.test(errorMessage(error))) {
    return new BackendError(
      lostSessionCode,
      `the connection to ${server} was lost during the operation; check its result, and try again`,
    )
  }
  const code = typeof status === "number" ? codes[status] : undefined
  const detail = code === "EFAILURE" ? "the server failed without a reason; see its log" : undefined
  return new BackendError(code ?? "EIO", code === undefined ? errorMessage(error) : detail)
}

export class SftpSession {
  readonly #connection: SshTransport
  readonly #lock = Semaphore.makeUnsafe(1)
  #current: OpenSession | undefined

  constructor(connection: SshTransport) {
    this.#connection = connection
  }

  /** `host:port`. */
  get server(): string {
    return this.#connection.server
  }

  /** The session, reopened after a loss. */
  readonly open: Effect.Effect<OpenSession, SshError> = Effect.suspend(() =>
    this.#lock.withPermit(
      Effect.suspend(() =>
        this.#current !== undefined && !this.#current.isLost() ? Effect.succeed(this.#current) : this.#start
      ),
    )
  )

  readonly #start: Effect.Effect<OpenSession, SshError> = Effect.gen({ self: this }, function* () {
    const { connectTimeoutMillis, server } = this.#connection
    const link = yield* this.#connection.link
    const failed = (why: string): SshError =>
      link.isLost()
        ? new SshError({
          reason: { _tag: "Lost", server },
          message: `ssh: the connection to ${server} was lost before its SFTP session was open`,
        })
        : new SshError({
          reason: { _tag: "SftpFailed", server },
          message: `ssh: ${server} opens no SFTP session: ${why}; it needs a line Subsystem sftp in its sshd_config`,
        })
    const sftp = yield* answeredWithin(requestSftp(link, failed), connectTimeoutMillis)
    if (sftp === undefined) return yield* Effect.fail(failed(`no answer within ${connectTimeoutMillis} ms`))
    const { isLost, lose, onLost } = new Loss()
    link.onLost(lose)
    sftp.on("close", lose)
    sftp.on("end", lose)
    sftp.on("error", lose)
    const drop = (): void => {
      lose()
      sftp.end()
    }
    this.#current = { sftp, isLost, onLost, drop }
    return this.#current
  })

  /** Closes the session, not the connection. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    if (this.#current?.isLost() === false) this.#current.sftp.end()
  })

  /** Calls the server once. A call that is lost with its session fails with {@link lostSessionCode}. */
  call<A>(use: (sftp: SFTPWrapper, done: (error: unknown, value: A) => void) => void): Effect.Effect<A, BackendError> {
    return Effect.flatMap(this.opened, (session) => this.callOn(session, use))
  }

  /** Calls the server, and once more on a new session if the session was lost. Only for calls that may be repeated. */
  ask<A>(use: (sftp: SFTPWrapper, done: (error: unknown, value: A) => void) => void): Effect.Effect<A, BackendError> {
    return Effect.retry(this.call(use), { while: ({ code }) => code === lostSessionCode, times: 2 })
  }

  /** Calls the server on a given session. A server that does not answer can be left: the call is interruptible. */
  callOn<A>(
    session: OpenSession,
    use: (sftp: SFTPWrapper, done: (error: unknown, value: A) => void) => void,
    { millis, onLate }: CallOptions<A> = {},
  ): Effect.Effect<A, BackendError> {
    return callbackLater<A, BackendError>((resume) => {
      let isLate = false
      // Called if the fiber is interrupted before it goes on with the answer.
      let leave = (): void => {}
      let timer: ReturnType<typeof setTimeout> | undefined
      let forget = (): void => {}
      const stop = (): void => {
        forget()
        clearTimeout(timer)
      }
      const fail = (error: unknown): void => {
        stop()
        resume(Effect.fail(toError(error, session, this.server)))
      }
      const lost = (): void => fail(new Error("no response from server"))
      if (session.isLost()) return lost()
      forget = session.onLost(lost)
      if (millis !== undefined) {
        timer = setTimeout(() => {
          stop()
          resume(Effect.fail(new BackendError(timedOutCode, `${this.server} does not answer`)))
          session.drop()
        }, Math.min(millis, maxTimerMillis))
      }
      try {
        use(session.sftp, (error, value) => {
          stop()
          const isDone = error === undefined || error === null
          if (!isDone) return isLate ? undefined : fail(error)
          if (isLate) return onLate?.(value)
          leave = () => onLate?.(value)
          resume(Effect.succeed(value))
        })
      } catch (error) {
        fail(error)
      }
      return Effect.sync(() => {
        isLate = true
        stop()
        leave()
      })
    })
  }

  /** Time for a call that cannot be interrupted. */
  get patienceMillis(): number {
    return this.#connection.connectTimeoutMillis
  }

  /** {@link open} for calls on files. */
  readonly opened: Effect.Effect<OpenSession, BackendError> = Effect.mapError(
    this.open,
    (error) => new BackendError(sshCode(error), error.message),
  )
}

const requestSftp = (link: SshLink, failed: (why: string) => SshError): Effect.Effect<SFTPWrapper, SshError> =>
  callbackLater((resume) => {
    let isWanted = true
    let opened: SFTPWrapper | undefined
    const forget = link.onLost(() => resume(Effect.fail(failed("the connection was lost"))))
    try {
      link.client.sftp((error, sftp) => {
        forget()
        if (error !== undefined) return resume(Effect.fail(failed(errorMessage(error))))
        if (!isWanted) return sftp.end()
        opened = sftp
        resume(Effect.succeed(sftp))
      })
    } catch (error) {
      // ssh2 throws if the connection has ended without an event yet.
      forget()
      link.drop()
      resume(Effect.fail(failed(errorMessage(error))))
    }
    return Effect.sync(() => {
      isWanted = false
      forget()
      opened?.end()
    })
  })
