/**
 * Code of a language, run: an interpreter is looked up, gets the code, and is ended with all it started.
 *
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Exec from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Exec.run({ language: "bash", code: "echo $((6 * 7))" })
 * const { stdout } = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.assert(stdout === "42\n")
 * ```
 *
 * Each run is a process of its own and keeps nothing for the next. It has the rights of the program that runs it, unless
 * the layer gives it fewer: the code is trusted as its writer is.
 *
 * @module
 */
export type { ErrorFields, ExecutionErrorFields, PreExecutionErrorFields } from "./CodeError.ts"
export type { ResourceErrorFields, WrittenFields } from "./CodeError.ts"
export { ExecError, ExecutionError, PreExecutionError, ResourceError } from "./CodeError.ts"
export * from "./CodeReason.ts"
export * from "./CodeRequest.ts"
export * from "./CodeResult.ts"
export { type Interpreter, Interpreters, interpreters, type InterpreterTable } from "./Interpreter.ts"
export { type ExecOptions, result, run } from "./run.ts"
export { stream } from "./stream.ts"
