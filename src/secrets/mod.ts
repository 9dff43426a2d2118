/**
 * Exports the Secrets branch: values by name from the environment, files, commands, Vault, AWS or a script, and references to
 * them in commands.
 *
 * @module
 */
export * as AwsSecrets from "./AwsSecrets.ts"
export * as CommandSecrets from "./CommandSecrets.ts"
export * as EnvironmentSecrets from "./EnvironmentSecrets.ts"
export * as FileSecrets from "./FileSecrets.ts"
export * as MockSecrets from "./MockSecrets.ts"
export * as ReplaySecrets from "./ReplaySecrets.ts"
export * from "./SecretEntry.ts"
export type { RedactedMarker } from "../command/Secret.ts"
export { Secrets, type SecretsService } from "./Secrets.ts"
export { SecretsBranch } from "./SecretsBranch.ts"
export * as SecretShell from "./SecretShell.ts"
export * as VaultSecrets from "./VaultSecrets.ts"
