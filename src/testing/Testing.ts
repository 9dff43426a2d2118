/**
 * Public module for tests of programs that run commands: shells that start no process.
 *
 * `MockShell` follows a script, `ReplayShell` answers from a journal, and `Recorder` records commands on the first run and
 * answers from the file afterwards.
 *
 * @module
 */
export * as MockRun from "../leaves/mock/MockRun.ts"
export * from "../leaves/mock/MockShell.ts"
export * as Recorder from "../leaves/replay/Recorder.ts"
export * as ReplayShell from "../leaves/replay/ReplayShell.ts"
