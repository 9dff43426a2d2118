/**
 * Public module for running source code in a named language: `run`, `result` and `stream` with their requests, results,
 * errors and table of interpreters; every run ends its whole process tree.
 *
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Code.run({ language: "bash", code: "echo $((6 * 7))" })
 * const { stdout } = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.log(stdout) // 42
 * ```
 *
 * Each run is a new process without state of earlier runs. It has the rights of the program that runs it, unless the layer
 * gives it fewer: run only code that you trust, or use a sandboxed shell.
 *
 * Uses no library: it is a thin table of interpreters over the Shell of the context.
 *
 * @module
 * @stability stable
 */
export { CodeError, ExecutionError, PreExecutionError, ResourceError } from "./CodeError.ts"
export { type CodeOptions, result, run } from "./run.ts"
export { type CodeInput, CodeRequest } from "./CodeRequest.ts"
export { CodeErrorLevel, CodeOutput, CodeResult, toResult } from "./CodeResult.ts"
export * as CodeReason from "./CodeReason.ts"
export { type Interpreter, Interpreters, interpreters, type InterpreterTable } from "./Interpreter.ts"
export { stream } from "./stream.ts"
