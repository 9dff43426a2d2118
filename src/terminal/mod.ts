/**
 * Public module of interactive sessions on a pseudo-terminal: exports `TerminalSession`, the registry `Terminals`, their
 * events, options and errors.
 *
 * Experimental: minor versions may change it.
 *
 * @module
 */
export { Terminal, TerminalSize } from "../command/Terminal.ts"
export type { TerminalKey } from "./keys.ts"
export type { AttachOptions, KeyInput, SessionOptions, WaitCondition } from "./SessionOptions.ts"
export { type SessionInfo, TerminalSession, type WaitResult } from "./TerminalSession.ts"
export { TerminalError } from "./TerminalError.ts"
export { TerminalEvent, TerminalResized, TerminalScreen, TerminalSnapshot } from "./TerminalEvent.ts"
export * as TerminalErrorReason from "./TerminalErrorReason.ts"
export { Terminals } from "./Terminals.ts"
export type { TerminalsOptions, TerminalsService } from "./TerminalsService.ts"
