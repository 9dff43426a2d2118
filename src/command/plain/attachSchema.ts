/**
 * Makes a plain class the class of a Schema. Code that only runs commands uses the plain classes and loads no Schema; the
 * public modules attach the Schema to the same classes, so that one `instanceof` holds for both.
 */
import type * as Schema from "effect/Schema"

/** Options of the constructor of a Schema class. Effect passes a payload for fields that it has validated. */
export type ConstructorOptions = Schema.MakeOptions & { readonly "~payload"?: unknown }

/** A function that validates the fields of a class and returns a copy; replaced when a Schema is attached. */
export interface FieldParser<Input, Fields = Input> {
  parse: (fields: Input, options?: Schema.MakeOptions) => Fields
}

const isValidated = <Input, Fields extends Input>(_fields: Input, options?: ConstructorOptions): _fields is Fields =>
  options?.["~payload"] !== undefined

/** The fields that a constructor assigns. Those that Effect passes are valid. */
export const constructorFields = <Input, Fields extends Input>(
  parser: FieldParser<Input, Fields>,
  fields: Input,
  options: ConstructorOptions | undefined,
): Fields => isValidated<Input, Fields>(fields, options) ? fields : parser.parse(fields, options)

/**
 * Adds the members of a Schema class, and the marker of its instances, to a plain class; its own members stay. Its name becomes
 * the identifier of the Schema: bundlers number a class beside a constant of its name, and inspected values show the name.
 *
 * `Attached` is the class of both, where the plain class has members of instances that no field is.
 */
export function attachSchema<
  Class extends { readonly prototype: object; readonly identifier: string },
  Attached extends { readonly prototype: object } = Class,
>(
  plain: { readonly prototype: object },
  schemaClass: Class,
): asserts plain is Attached {
  for (const [from, to] of [[schemaClass, plain], [schemaClass.prototype, plain.prototype]] as const) {
    for (const key of Reflect.ownKeys(from)) {
      const member = Object.getOwnPropertyDescriptor(from, key)
      if (member !== undefined && !Object.hasOwn(to, key)) Object.defineProperty(to, key, member)
    }
  }
  Object.defineProperty(plain, "name", { value: schemaClass.identifier, configurable: true })
}
