/** The operations of A2A v1.0, under the names the JSON-RPC binding calls them by (specification 5.3). */
export const OPERATIONS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const

export type Operation = (typeof OPERATIONS)[number]

const KNOWN: ReadonlySet<string> = new Set(OPERATIONS)

export const isOperation = (name: string): name is Operation => KNOWN.has(name)
