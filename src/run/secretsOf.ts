/** Collects the secrets of commands, for a redactor. */
import { isSecret } from "../command/plain/secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"

/** The secrets of commands, except wiped ones. */
export const secretsOf = (execs: ReadonlyArray<ShellExec>): ReadonlyArray<Redactor.SecretText> =>
  execs.flatMap(({ arguments: words, environment = {}, input }) =>
    [...words, ...Object.values(environment), input].filter(isSecret).map((value) => ({ value }))
  )
