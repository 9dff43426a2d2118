/**
 * Runs agents: a loop that asks a model and casts the spells that it calls, and the models of the AI SDK's providers.
 *
 * @module
 */
export * as Agent from "./Agent.ts"
export * as AiSdk from "./AiSdk.ts"
export {
  AgentToolCall,
  ModelBranch,
  ModelFault,
  ModelRequest,
  ModelResponse,
  type ModelService,
} from "./ModelBranch.ts"
export { modelService } from "./modelService.ts"
export { ProviderError, ProviderErrorReason } from "./ProviderError.ts"
export { providerNames, resolveModel, type ResolveModelOptions } from "./providers.ts"
export { retryModel, type RetryOptions } from "./retryModel.ts"
