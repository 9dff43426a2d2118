/**
 * JavaScript Promise Integration: a WASM stack that waits for a promise.
 *
 * Source: WebAssembly JavaScript Promise Integration, phase 4.
 *
 * @module
 */

type Callable = (...args: never) => unknown
/** The proposal adds them to what may be imported; the types of the platform do not know it yet. */
type Suspending = Extract<WebAssembly.ImportValue, object>

/** What a runtime with JSPI offers. */
export interface Jspi {
  /** An import that suspends the stack when it answers with a promise. */
  readonly suspending: (callable: Callable) => Suspending
  /** An export that answers with a promise. */
  readonly promising: (callable: Callable) => () => Promise<unknown>
}

const isConstructor = (value: unknown): value is new (callable: Callable) => Suspending => typeof value === "function"
const isWrapper = (value: unknown): value is (callable: Callable) => () => Promise<unknown> =>
  typeof value === "function"

/** Whether an export is a function: the platform's type of functions says too little to call one. */
export const isEntry = (value: unknown): value is () => unknown => typeof value === "function"

const offered = (): Jspi | undefined => {
  const Suspending: unknown = Reflect.get(WebAssembly, "Suspending")
  const promising: unknown = Reflect.get(WebAssembly, "promising")
  if (!isConstructor(Suspending) || !isWrapper(promising)) return undefined
  return { suspending: (callable) => new Suspending(callable), promising }
}

/** `(module (import "a" "a" (func (result i32))) (func (export "a") (result i32) call 0))` */
// deno-fmt-ignore
const probe = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 2, 7, 1, 1, 0x61, 1, 0x61, 0, 0, 3, 2, 1, 0,
  7, 5, 1, 1, 0x61, 0, 1, 10, 6, 1, 4, 0, 0x10, 0, 0x0b,
)

const test = async (jspi: Jspi): Promise<boolean> => {
  let module: WebAssembly.Module
  try {
    module = await WebAssembly.compile(probe)
  } catch {
    // A host that compiles nothing at run time (workerd) is taken at its word.
    return true
  }
  try {
    const suspended = jspi.suspending(() => Promise.resolve(7))
    const { a } = new WebAssembly.Instance(module, { a: { a: suspended } }).exports
    return isEntry(a) && await jspi.promising(a)() === 7
  } catch {
    return false
  }
}

let tested: Promise<Jspi | undefined> | undefined

/** JSPI, if this runtime has it and it works. Tried once. */
export const findJspi = (): Promise<Jspi | undefined> =>
  tested ??= (async () => {
    const jspi = offered()
    return jspi !== undefined && await test(jspi) ? jspi : undefined
  })()
