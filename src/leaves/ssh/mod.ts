/**
 * Public module: a `Shell` on a server over SSH, and its files over SFTP, with the npm package `ssh2`.
 *
 * @module
 */
export { SshConnection, type SshConnectionService } from "./SshConnection.ts"
export type { SshAuth, SshConnectionOptions, SshHop, SshHostKey, SshQuestion } from "./SshConnectionOptions.ts"
export { SshError, SshErrorReason } from "./SshError.ts"
export * as SshShell from "./SshShell.ts"
export * as SftpFileSystem from "./SftpFileSystem.ts"
