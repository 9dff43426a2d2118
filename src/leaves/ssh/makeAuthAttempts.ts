/** Tries a user's authentication methods in order, and remembers them for the error. */
import * as Redacted from "effect/Redacted"
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware } from "ssh2"
import { errorMessage } from "../../base/errorMessage.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import type { HopSettings, SshAuth } from "./SshConnectionOptions.ts"
import type { Ssh2Module } from "./loadSsh2.ts"

/** The tries of one connection. */
export interface AuthAttempts {
  /** For ssh2. */
  readonly handler: AuthHandlerMiddleware
  /** The methods that were tried, with the reason if one could not be tried. */
  readonly tried: ReadonlyArray<string>
  /** The names of the methods that were sent to the server. */
  readonly sent: ReadonlyArray<string>
  /** The methods that the server accepts, by its latest answer. */
  readonly offered: ReadonlyArray<string>
  /** Says why the agent could not be asked. */
  readonly agentFailed: (error: unknown) => void
}

type Prepared = { readonly name: string; readonly wire: AuthenticationType; readonly method: AnyAuthMethod | string }

const noAnswer = Redacted.make("")

const startAgent = "start one with ssh-agent, and add a key with ssh-add"

/** The reason why a key cannot be used, from ssh2's messages, which contain nothing of the key. */
const describeKey = (message: string): string =>
  /no passphrase given/.test(message)
    ? "the key is encrypted: give its passphrase with privateKey"
    : /bad passphrase|bad decrypt|integrity check/.test(message)
    ? "the passphrase does not decrypt the key"
    : /Unsupported key format/.test(message)
    ? "it is not an OpenSSH or PEM key: give the content of the key file, not its path"
    : message

const prepare = (username: string, auth: SshAuth, { utils }: Ssh2Module, agentSocket: string | undefined): Prepared => {
  if ("agent" in auth) {
    const agent = auth.agent === true ? agentSocket : auth.agent
    return {
      name: "agent",
      wire: "publickey",
      method: agent === undefined || agent === ""
        ? `no agent runs, SSH_AUTH_SOCK is not set: ${startAgent}`
        : { type: "agent", username, agent },
    }
  }
  if ("privateKey" in auth) {
    const { passphrase } = auth
    const key = utils.parseKey(
      Redacted.value(auth.privateKey),
      passphrase === undefined ? undefined : Redacted.value(passphrase),
    )
    return {
      name: "privateKey",
      wire: "publickey",
      method: key instanceof Error
        ? describeKey(key.message)
        : !key.isPrivateKey()
        ? "it is a public key: give the private one"
        : { type: "publickey", username, key },
    }
  }
  if ("password" in auth) {
    const password = Redacted.value(auth.password)
    return { name: "password", wire: "password", method: { type: "password", username, password } }
  }
  return {
    name: "keyboardInteractive",
    wire: "keyboard-interactive",
    method: {
      type: "keyboard-interactive",
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => {
        const questions = prompts.map(({ echo = false, prompt }) => ({ prompt, echo }))
        void Promise.resolve().then(() => auth.keyboardInteractive(questions)).then(
          // As many answers as the server has asked for: any other number breaks the connection.
          (answers) => finish(questions.map((_, at) => Redacted.value(answers[at] ?? noAnswer))),
          // Without an answer the server refuses, and the next method is tried.
          () => finish(questions.map(() => "")),
        )
      },
    },
  }
}

export const makeAuthAttempts = (
  { auth, user }: HopSettings,
  ssh2: Ssh2Module,
  agentSocket: string | undefined,
): AuthAttempts => {
  const waiting = [...auth]
  const tried: Array<string> = []
  const sent: Array<string> = []
  let offered: ReadonlyArray<string> = []
  return {
    tried,
    sent,
    get offered() {
      return offered
    },
    agentFailed: (error) => {
      const at = tried.lastIndexOf("agent")
      if (at < 0) return
      sent.splice(sent.lastIndexOf("agent"), 1)
      tried[at] = `agent (it does not respond, ${readErrorCode(error) ?? errorMessage(error)}: ${startAgent})`
    },
    handler: (methodsLeft: ReadonlyArray<AuthenticationType> | null, _partial, next) => {
      // The method `none` comes first (RFC 4252, 5.2): the server answers with the methods that it accepts, so no password
      // is sent in vain.
      if (methodsLeft === null) return next({ type: "none", username: user })
      offered = methodsLeft
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
        let prepared: Prepared
        try {
          prepared = prepare(user, each, ssh2, agentSocket)
        } catch (error) {
          tried.push(errorMessage(error))
          continue
        }
        const { method, name, wire } = prepared
        if (typeof method === "string") {
          tried.push(`${name} (${method})`)
        } else if (!methodsLeft.includes(wire)) {
          tried.push(`${name} (not accepted by the server)`)
        } else {
          tried.push(name)
          sent.push(name)
          next(method)
          return
        }
      }
      // ssh2's type has no name for the end of the list.
      Reflect.apply(next, undefined, [false])
    },
  }
}
