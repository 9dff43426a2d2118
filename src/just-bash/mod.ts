/**
 * Exports just-bash's API over the sandbox: programs that use `Bash`, `Sandbox` and `defineCommand` of just-bash 3 change
 * one import. Options that the sandbox lacks are refused by name.
 *
 * @module
 * @stability experimental
 */
export { Bash, type BashOptions } from "./Bash.ts"
export { type Command, type CommandContext, type CustomCommand, defineCommand } from "./commands.ts"
export { InMemoryFs, type InMemoryFsOptions, OverlayFs, type OverlayFsOptions, ReadWriteFs } from "./fileSystem.ts"
export {
  Command as SandboxCommand,
  type CommandFinished as SandboxCommandFinished,
  type OutputMessage,
  type RunCommandParams,
  Sandbox,
  type SandboxOptions,
} from "./Sandbox.ts"
export type {
  BashExecResult,
  BashLogger,
  BufferEncoding,
  ExecOptions,
  ExecResult,
  ExecutionLimits,
  FileEncoding,
  FsStat,
  InitialFile,
  InitialFiles,
  NetworkConfig,
} from "./types.ts"
