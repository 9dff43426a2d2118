/**
 * Code of a language, run: an interpreter is looked up, gets the code, and is ended with all it started.
 *
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Code.run({ language: "bash", code: "echo $((6 * 7))" })
 * const { stdout } = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.assert(stdout === "42\n")
 * ```
 *
 * Each run is a process of its own and keeps nothing for the next. It has the rights of the program that runs it, unless
 * the layer gives it fewer: the code is trusted as its writer is.
 *
 * @module
 */
export { CodeError, ExecutionError, PreExecutionError, ResourceError } from "./CodeError.ts"
export { type CodeOptions, result, run } from "./run.ts"
export { type CodeInput, CodeRequest } from "./CodeRequest.ts"
export { CodeErrorLevel, CodeOutput, CodeResult, toResult } from "./CodeResult.ts"
export * as CodeReason from "./CodeReason.ts"
export { type Interpreter, Interpreters, interpreters, type InterpreterTable } from "./Interpreter.ts"
export { stream } from "./stream.ts"
