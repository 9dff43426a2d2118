/**
 * Public module for testing programs that run commands and ask models, with shells that start no process and a model
 * without a network.
 *
 * `MockShell` follows a script, `ReplayShell` answers from a journal, and `Recorder` records commands on the first run and
 * answers from the file afterwards. `MockModel` is a language model that follows a script.
 *
 * @module
 * @stability stable
 */
export { MockModel, type MockPrompt, type MockToolResult, type MockTurn } from "../leaves/mock/MockModel.ts"
export * as MockRun from "../leaves/mock/MockRun.ts"
export * from "../leaves/mock/MockShell.ts"
export * as Recorder from "../leaves/replay/Recorder.ts"
export * as ReplayShell from "../leaves/replay/ReplayShell.ts"
