/**
 * Loads an optional package at run time.
 *
 * @module
 */

const member = (module: object, name: string): unknown => Reflect.get(module, name)

const isObject = (u: unknown): u is object => (typeof u === "object" && u !== null) || typeof u === "function"

/**
 * Imports a package, or one of its exports; `undefined` where it is not installed, or does not load. The name is no literal:
 * otherwise bundlers and type checkers would require the package.
 */
export const loadPackage = async (specifier: string, name?: string): Promise<unknown> => {
  try {
    const module: unknown = await import(specifier)
    if (!isObject(module) || name === undefined) return module
    // What a CommonJS module exports is `default`, on some runtimes only that.
    const inner = member(module, "default")
    return member(module, name) ?? (isObject(inner) ? member(inner, name) : undefined)
  } catch {
    return undefined
  }
}
