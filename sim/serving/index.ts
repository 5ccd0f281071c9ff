/** A heavy door: the imitation agent on a real port, in real time. It loads neither the SDK nor msw. */
export { serve, SPEED_MAX, type ServeOptions, type Serving } from './serve.ts'
