/**
 * Runs agents: a loop that asks a model and casts the spells that it calls, and the models of the AI SDK's providers.
 *
 * @module
 */
export * as Agent from "./Agent.ts"
export * as AiSdk from "./AiSdk.ts"
export * from "./AgentEvent.ts"
export { AgentFault, AgentRun, AgentRunBranch, ContextLimits } from "./AgentRunBranch.ts"
export { AgentUsage, type ModelPrices } from "./AgentUsage.ts"
export {
  AgentToolCall,
  ModelBranch,
  ModelDelta,
  ModelFault,
  ModelRequest,
  ModelResponse,
  type ModelService,
} from "./ModelBranch.ts"
export { modelService } from "./modelService.ts"
