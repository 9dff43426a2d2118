/**
 * Wraps the shell of the context: replaces references by the values of secrets when a command starts.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { referenceOf } from "../command/plain/secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellService } from "../shell/ShellService.ts"
import { readReference } from "./readReference.ts"
import type { SecretFault } from "./SecretEntry.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a shell. */
export interface SecretShellOptions {
  /**
   * Whether a command may have a secret. Requests that come from elsewhere (a journal, a server's clients) name any. Default:
   * every command may have every secret.
   */
  readonly allow?: ((name: string, exec: ShellExec) => boolean) | undefined
}

type Words = ShellExec["arguments"][number]

const referencesIn = ({ arguments: words, environment = {}, input }: ShellExec): ReadonlySet<string> =>
  new Set([...words, ...Object.values(environment), input].flatMap((word) => referenceOf(word) ?? []))

const replaced = (exec: ShellExec, wordFor: (reference: string) => Words): ShellExec => {
  const put = <Word>(word: Word): Word | Words => {
    const reference = referenceOf(word)
    return reference === undefined ? word : wordFor(reference)
  }
  const { environment, input } = exec
  return new ShellExec({
    ...exec,
    arguments: exec.arguments.map(put),
    ...(environment === undefined ? undefined : {
      environment: Object.fromEntries(Object.entries(environment).map(([name, word]) => [name, put(word)])),
    }),
    ...(input === undefined ? undefined : { input: put(input) }),
  })
}

const notStarted = (exec: ShellExec, { faultKind, message }: Pick<SecretFault, "faultKind" | "message">): ShellFault =>
  ShellFault.because(
    exec.commandId,
    faultKind === "NotAllowed" || faultKind === "Denied"
      ? { _tag: "NotAllowed", policy: "secrets" }
      : { _tag: "InvalidRequest", field: "secrets", code: "ENOKEY" },
    `exec: ${exec.command} was not started: ${message}`,
  )

/**
 * Wraps a shell. Put it around the leaf, below policies and journals, which then see references only. Each secret of a command
 * is read once, when the command starts. The output is redacted in the journals around it.
 */
export const make = (
  shell: ShellService,
  secrets: SecretsService,
  { allow = () => true }: SecretShellOptions = {},
): ShellService => {
  const read = (exec: ShellExec, reference: string) =>
    Effect.suspend(() => {
      const [name = ""] = reference.split("#")
      if (!allow(name, exec)) {
        return Effect.fail(
          notStarted(exec, {
            faultKind: "NotAllowed",
            message: `it is not allowed the secret ${quote(name)}`,
          }),
        )
      }
      const { command, commandId, useShell } = exec
      const about = { purpose: useShell ? "a script" : command, commandId }
      return Effect.mapError(readReference(secrets, reference, about), (fault) => notStarted(exec, fault))
    })

  const resolving = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    start: (exec: ShellExec, options?: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> => {
    const references = referencesIn(exec)
    if (references.size === 0) return start(exec, options)
    return Stream.unwrap(Effect.gen(function* () {
      const values = new Map<string, Redacted.Redacted<string>>()
      for (const reference of references) values.set(reference, yield* read(exec, reference))
      return start(replaced(exec, (one) => values.get(one) ?? one), options)
    }))
  }
  const { resolve } = shell
  return {
    ...shell,
    resolve: resolve && ((exec, options) => resolve(replaced(exec, (reference) => reference), options)),
    exec: (exec, options) => resolving(exec, options, shell.exec),
    bytes: (exec, options) => resolving(exec, options, shell.bytes),
  }
}

/** {@link make} as a layer with options, around the shell of the context. */
export const layerWith = (options: SecretShellOptions): Layer.Layer<Shell, never, Shell | Secrets> =>
  Layer.effect(Shell, Effect.map(Effect.all([Shell, Secrets]), ([shell, secrets]) => make(shell, secrets, options)))

/**
 * {@link layerWith} for every command and every secret.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { MockSecrets, Secrets, SecretShell } from "@sluice/shell/secrets"
 * import { Effect, Layer } from "effect"
 *
 * const secrets = MockSecrets.layer([{ name: "db", field: "password", value: "hunter2" }])
 * const shell = SecretShell.layer.pipe(Layer.provide([KernelShell.layer, secrets]))
 * const text = Shell.text(ShellExec.make("cat", [], { input: Secrets.reference("db", "password") }))
 * console.log(await Effect.runPromise(Effect.provide(text, shell))) // hunter2
 * ```
 */
export const layer: Layer.Layer<Shell, never, Shell | Secrets> = layerWith({})
