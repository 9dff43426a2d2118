/** Remembers the secrets that were read while a journal is open, so that no later entry of any service contains them. */
import * as Redactor from "./Redactor.ts"

/** Only the newest are kept, because each costs about twenty texts to search for. */
const maxSecrets = 256

/** Secrets that were read by references or sent as credentials while a journal is open. */
export class RememberedSecrets {
  readonly #values = new Map<string, Redactor.SecretText>()
  #redactor: Redactor.Redactor | undefined

  add(secret: { readonly value: string; readonly label?: string | undefined }): void {
    const { value } = secret
    if (value.length < Redactor.minSecretLength || this.#values.has(value)) return
    const [oldest] = this.#values.keys()
    if (oldest !== undefined && this.#values.size >= maxSecrets) this.#values.delete(oldest)
    this.#values.set(value, secret)
    this.#redactor = undefined
  }

  get redactor(): Redactor.Redactor | undefined {
    return this.#values.size === 0 ? undefined : this.#redactor ??= Redactor.secrets([...this.#values.values()])
  }
}

/** The redaction of new entries: that of the journal, and the secrets that were read. */
export const redactorOf = (
  { redactor, remembered }: {
    readonly redactor?: Redactor.Redactor | undefined
    readonly remembered?: Pick<RememberedSecrets, "redactor"> | undefined
  },
): Redactor.Redactor | undefined =>
  redactor === undefined || remembered?.redactor === undefined
    ? redactor ?? remembered?.redactor
    : Redactor.combine(remembered.redactor, redactor)
