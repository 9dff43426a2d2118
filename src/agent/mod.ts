/**
 * Runs agents: a loop that asks a model and casts the spells that it calls, and the models of the AI SDK's providers.
 *
 * @module
 */
export * as Agent from "./Agent.ts"
export * as AiSdk from "./AiSdk.ts"
export {
  ModelBranch,
  ModelFault,
  ModelRequest,
  ModelResponse,
  type ModelService,
  ModelToolCall,
} from "./ModelBranch.ts"
export { modelService, type ModelServiceOptions } from "./modelService.ts"
export { ProviderError, ProviderErrorReason } from "./ProviderError.ts"
export { providerNames, resolveModel, type ResolveModelOptions } from "./providers.ts"
export {
  AgentToolCall,
  AgentToolCallFault,
  AgentToolCallResult,
  ToolCallBranch,
  type ToolCallService,
} from "./ToolCallBranch.ts"
export { toolRoutes, toolService } from "./toolRoutes.ts"
