/** Declares the exports of quickjs-wasi's module that the program uses. Source: its `QuickJSExports`. */
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"

/** A pointer into the memory of the engine: of a value of JavaScript, or of bytes. */
export type Pointer = number

type EngineCall = (...args: ReadonlyArray<number>) => number

export interface EngineExports {
  readonly memory: WebAssembly.Memory
  readonly _initialize: () => void
  readonly qjs_init: () => number
  readonly qjs_set_memory_limit: (bytes: number) => void
  readonly qjs_set_max_stack_size: (bytes: number) => void
  readonly qjs_set_promise_rejection_handler: (isOn: number) => void
  readonly qjs_set_module_loader: (isOn: number) => void
  /** Evaluates text: its pointer and length, that of a file name, and flags. */
  readonly qjs_eval: EngineCall
  /** Calls: pointers of the function and of `this`, the number of arguments, and a pointer to their pointers. */
  readonly qjs_call: EngineCall
  readonly qjs_is_job_pending: () => number
  /** Runs the next job; a negative result is an exception. */
  readonly qjs_execute_pending_job: EngineCall
  readonly qjs_new_host_function: (name: Pointer, length: number, parameters: number) => Pointer
  readonly qjs_new_string: (text: Pointer, length: number) => Pointer
  readonly qjs_new_number: (value: number) => Pointer
  readonly qjs_new_array_buffer: (bytes: Pointer, length: number) => Pointer
  readonly qjs_get_undefined: () => Pointer
  readonly qjs_get_null: () => Pointer
  readonly qjs_get_true: () => Pointer
  readonly qjs_get_false: () => Pointer
  readonly qjs_is_exception: (value: Pointer) => number
  readonly qjs_is_undefined: (value: Pointer) => number
  readonly qjs_is_string: (value: Pointer) => number
  readonly qjs_is_number: (value: Pointer) => number
  readonly qjs_is_bool: (value: Pointer) => number
  readonly qjs_is_promise: (value: Pointer) => number
  readonly qjs_is_array_buffer: (value: Pointer) => number
  readonly qjs_get_bool: (value: Pointer) => number
  readonly qjs_get_float64: (value: Pointer) => number
  readonly qjs_get_string_len: (value: Pointer, length: Pointer) => Pointer
  readonly qjs_free_cstring: (text: Pointer) => void
  readonly qjs_get_array_buffer: (value: Pointer, length: Pointer) => Pointer
  readonly qjs_get_value_ptr: (value: Pointer) => Pointer
  readonly qjs_promise_state: (promise: Pointer) => number
  readonly qjs_promise_result: (promise: Pointer) => Pointer
  readonly qjs_dup_value: (value: Pointer) => Pointer
  readonly qjs_free_value: (value: Pointer) => void
  readonly qjs_get_exception: () => Pointer
  readonly qjs_throw: (value: Pointer) => Pointer
  readonly wasm_malloc: (bytes: number) => Pointer
  readonly wasm_free: (bytes: Pointer) => void
}

const functions = [
  "_initialize",
  "qjs_init",
  "qjs_set_memory_limit",
  "qjs_set_max_stack_size",
  "qjs_set_promise_rejection_handler",
  "qjs_set_module_loader",
  "qjs_eval",
  "qjs_call",
  "qjs_is_job_pending",
  "qjs_execute_pending_job",
  "qjs_new_host_function",
  "qjs_new_string",
  "qjs_new_number",
  "qjs_new_array_buffer",
  "qjs_get_undefined",
  "qjs_get_null",
  "qjs_get_true",
  "qjs_get_false",
  "qjs_is_exception",
  "qjs_is_undefined",
  "qjs_is_string",
  "qjs_is_number",
  "qjs_is_bool",
  "qjs_is_promise",
  "qjs_is_array_buffer",
  "qjs_get_bool",
  "qjs_get_float64",
  "qjs_get_string_len",
  "qjs_free_cstring",
  "qjs_get_array_buffer",
  "qjs_get_value_ptr",
  "qjs_promise_state",
  "qjs_promise_result",
  "qjs_dup_value",
  "qjs_free_value",
  "qjs_get_exception",
  "qjs_throw",
  "wasm_malloc",
  "wasm_free",
] as const satisfies ReadonlyArray<Exclude<keyof EngineExports, "memory">>

const isEngine = (exports: object): exports is EngineExports =>
  Reflect.get(exports, "memory") instanceof WebAssembly.Memory &&
  functions.every((name) => typeof Reflect.get(exports, name) === "function")

export const parseEngine = (exports: object): EngineExports => {
  if (isEngine(exports)) return exports
  throw new UtilityExit(
    127,
    "the npm package quickjs-wasi lacks what js-exec needs; install version 3.7 or newer of 3.x",
  )
}
