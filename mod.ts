/**
 * Sluice: a command is a value, running it is a stream, and where it runs is a layer.
 *
 * @stability stable
 *
 * @module
 */
export type { DurationInput } from "./src/base/duration.ts"
export type { DurationText } from "./src/base/DurationText.ts"
export { OptionError } from "./src/base/OptionError.ts"
export { CommandId, type CommandIdSchema } from "./src/command/CommandId.ts"
export * as FaultReason from "./src/command/FaultReason.ts"
export { CommandInput } from "./src/command/CommandInput.ts"
export { CommandLimits } from "./src/command/CommandLimits.ts"
export { OutputStream, ShellOutput, ShellOutputChunk, ShellOutputWindow, StageExit } from "./src/command/ShellEvent.ts"
export {
  OnHostLoss,
  ScriptShell,
  ShellExec,
  type ShellExecClass,
  type ShellExecOptions,
} from "./src/command/ShellExec.ts"
export { type PartialOutput, ShellEvent, ShellFault, type ShellFaultClass } from "./src/command/ShellFault.ts"
export { cmd, type CommandTag, parseTemplate, type TemplateOptions } from "./src/command/template.ts"
export { TemplateError, type TemplateErrorClass, TemplateReason } from "./src/command/TemplateError.ts"
export type { TemplateItem, TemplateValue } from "./src/command/parseTemplateWords.ts"
export * as Chunking from "./src/shell/Chunking.ts"
export type { CheckedShellRun, ShellRun } from "./src/shell/failOnExit.ts"
export { ShellExitError, type ShellExitErrorClass } from "./src/shell/ShellExitError.ts"
export type { PipelineOptions } from "./src/shell/runPipeline.ts"
export { Shell } from "./src/shell/Shell.ts"
export type {
  EndOrphansOptions,
  OrphanReport,
  ResolvedCommand,
  ShellBytes,
  ShellRunOptions,
  ShellService,
  StartedProcess,
} from "./src/shell/ShellService.ts"
export type { ShellCapabilities } from "./src/shell/ShellCapabilities.ts"
export type { LocalShellOptions } from "./src/leaves/local/LocalShellOptions.ts"
export { DryRunShell } from "./src/leaves/local/DryRunShell.ts"
export type { LocalLeaf } from "./src/leaves/local/LocalLeaf.ts"
export { LocalShell, PosixShell, WindowsShell } from "./src/leaves/local/LocalShell.ts"
export * as Window from "./src/window/Window.ts"
