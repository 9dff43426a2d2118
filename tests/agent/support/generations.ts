/** The packages of the AI SDK's providers in both generations: those of `LanguageModelV3`, and those of `LanguageModelV4`. */

const packages: Readonly<Record<string, () => Promise<unknown>>> = {
  "@ai-sdk/openai": () => import("ai-sdk-openai-4"),
  "@ai-sdk/google": () => import("ai-sdk-google-4"),
  "@ai-sdk/anthropic": () => import("ai-sdk-anthropic-4"),
  "@ai-sdk/openai-compatible": () => import("ai-sdk-openai-compatible-3"),
}

/** The version of the interface, and what `resolveModel` loads packages by. */
export const generations: ReadonlyArray<
  readonly [version: "v3" | "v4", load: ((name: string) => Promise<unknown>) | undefined]
> = [
  ["v3", undefined],
  ["v4", (name) => packages[name]?.() ?? Promise.reject(new Error(`no package ${name}`))],
]
