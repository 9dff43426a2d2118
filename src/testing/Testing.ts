/**
 * For the tests of programs that run commands: shells that start no process. `MockShell` does what a script says,
 * `ReplayShell` what a journal holds, and `Recorder` what a command did when it was run for real the first time.
 *
 * @module
 */
export * as MockRun from "../leaves/mock/MockRun.ts"
export * from "../leaves/mock/MockShell.ts"
export * as Recorder from "../leaves/replay/Recorder.ts"
export * as ReplayShell from "../leaves/replay/ReplayShell.ts"
