/**
 * Exports the types of extensions, which are functions of the host that scripts call as commands, and makes them of Effects.
 *
 * @module
 */
export {
  type EffectExtension,
  type EffectExtensionContext,
  type EffectExtensionFiles,
  type EffectExtensionOutput,
  type EffectExtensionResult,
  make,
} from "../extension/effectExtension.ts"
export type {
  Extension,
  ExtensionCommands,
  ExtensionContext,
  ExtensionExecOptions,
  ExtensionFiles,
  ExtensionInput,
  ExtensionOutput,
  ExtensionResult,
  Extensions,
  ExtensionWriteOptions,
  ExtensionWriter,
} from "../process/Extension.ts"
