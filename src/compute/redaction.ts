/** Removes the secrets of a command, and the matches of a redactor, from its journal entries. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { CommandInput } from "../command/CommandInput.ts"
import { type GivenSecret, GivenSecrets } from "../command/GivenSecrets.ts"
import { referenceOf } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import type { StreamingRedaction } from "../journal/redaction/Redactor.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { sha256 } from "../base/sha256.ts"
import type { RunRedaction } from "./RunRecorder.ts"

const wordsOf = ({ arguments: words, environment, input }: ShellExec): ReadonlyArray<unknown> =>
  words.length === 0 && environment === undefined && input === undefined
    ? []
    : [...words, ...Object.values(environment ?? {}), input]

/** Whether a command has references, whose values are known when it is started. */
const hasReferences = (exec: ShellExec): boolean => wordsOf(exec).some((word) => referenceOf(word) !== undefined)

const secretsOf = (exec: ShellExec): ReadonlyArray<GivenSecret> =>
  wordsOf(exec).flatMap((word) => {
    if (!Redacted.isRedacted(word) || referenceOf(word) !== undefined) return []
    const value = valueOf(word)
    return typeof value !== "string" || value === ""
      ? []
      : [word.label === undefined ? { value } : { value, label: word.label }]
  })

/** The value of a secret, `""` when it was lost in an encoding. */
const valueOf = (secret: Redacted.Redacted<unknown>): unknown => {
  try {
    return Redacted.value(secret)
  } catch {
    return ""
  }
}

/** The text of UTF-8 bytes, one character per byte: the form of a secret among bytes that were not decoded. */
const binaryOf = (text: string): string => {
  let binary = ""
  for (const byte of encodeUtf8(text)) binary += String.fromCharCode(byte)
  return binary
}

/** The secrets among bytes. Characters that are not ASCII look different there, so their bytes are searched for too. */
const amongBytes = (secrets: ReadonlyArray<GivenSecret>): Redactor.Redactor => {
  const binary = secrets.map((secret) => ({ ...secret, value: binaryOf(secret.value) }))
  return Redactor.combine(Redactor.secrets(secrets), Redactor.secrets(binary, { encoded: false }))
}

/** A text that continues with another redactor, once that redactor is known. */
const switching = (current: () => Redactor.Redactor): StreamingRedaction => {
  let redactor = current()
  let run = redactor.begin()
  return {
    push: (text) => {
      if (redactor === current()) return run.push(text)
      const held = run.end()
      redactor = current()
      run = redactor.begin()
      return held + run.push(text)
    },
    end: () => run.end(),
    flush: () => run.flush?.() ?? "",
  }
}

/** The redaction of the records of one command; `undefined` when there is nothing to redact. */
export const makeRunRedaction = (
  exec: ShellExec,
  redactor: Redactor.Redactor | undefined,
): RunRedaction | undefined => {
  let secrets = secretsOf(exec)
  const refers = hasReferences(exec)
  if (secrets.length === 0 && redactor === undefined && !refers) return undefined
  const more = redactor ?? Redactor.none
  const make = () => ({
    text: Redactor.combine(Redactor.secrets(secrets), more),
    // Made once it is needed.
    bytes: undefined as Redactor.Redactor | undefined,
  })
  let made = make()
  const of = (what: "text" | "bytes"): Redactor.Redactor =>
    what === "text" ? made.text : made.bytes ??= Redactor.combine(amongBytes(secrets), more)
  return {
    begin: (what) => refers ? switching(() => of(what)) : of(what).begin(),
    text: (whole) => made.text.text(whole),
    add: (secret) => {
      secrets = [...secrets, secret]
      made = make()
    },
  }
}

/** Runs a stream whose command may be given secrets on the way: they are left out of its records. */
export const withGivenSecrets = <A, E>(
  run: Stream.Stream<A, E>,
  redaction: RunRedaction | undefined,
  exec: ShellExec,
  { remembered }: Pick<JournalService, "remembered">,
): Stream.Stream<A, E> =>
  redaction === undefined || !hasReferences(exec)
    ? run
    : Stream.unwrap(Effect.map(GivenSecrets, (outer) =>
      Stream.provideService(run, GivenSecrets, (secret) => {
        redaction.add(secret)
        remembered?.add(secret)
        outer(secret)
      })))

/** Maximum length of input that is stored with its command, in UTF-16 units or bytes: 1 MiB. */
export const maxStoredInputLength = 1_048_576

/** The stored form of an input; for a long one, a marker with its length and hash. */
const storedInput = (input: CommandInput, text: (plain: string) => string): CommandInput => {
  if (Redacted.isRedacted(input)) return input
  if (input.length <= maxStoredInputLength) return typeof input === "string" ? text(input) : input
  return Redacted.make("", {
    label: `${input.length} ${typeof input === "string" ? "characters" : "bytes"}, sha256 ${sha256(input)}`,
  })
}

/**
 * The command as it is stored: without the redactor's matches in plain words and without the command's own secrets, in the
 * program, the arguments, the directory, variables and the input. Secrets become markers when they are encoded, and of an
 * input that is longer than {@link maxStoredInputLength} its length and SHA-256 are kept.
 */
export const redactExec = (exec: ShellExec, redactor: Redactor.Redactor | undefined): ShellExec => {
  const { environment, input, workingDirectory } = exec
  const long = input !== undefined && !Redacted.isRedacted(input) && input.length > maxStoredInputLength
  const secrets = secretsOf(exec)
  if (redactor === undefined && secrets.length === 0 && !long) return exec
  const { text } = Redactor.combine(Redactor.secrets(secrets), redactor ?? Redactor.none)
  const word = (plain: Word): Word => typeof plain === "string" ? text(plain) : plain
  return new ShellExec({
    ...exec,
    command: text(exec.command) || exec.command,
    arguments: exec.arguments.map(word),
    ...(workingDirectory === undefined ? undefined : { workingDirectory: text(workingDirectory) }),
    ...(environment === undefined ? undefined : {
      environment: Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [text(name), value === null ? null : word(value)]),
      ),
    }),
    ...(input === undefined ? undefined : { input: storedInput(input, text) }),
  })
}
