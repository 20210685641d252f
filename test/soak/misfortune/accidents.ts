import { type Play, type Scene, chargeFor, goodAnswer, goodBody } from './answers.ts'

type Accident = (scene: Scene) => Play

/** An error as Node's fetch throws it: the reason is in `cause`. */
function fetchFailed(cause: object): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('low level'), cause) })
}

const broken = ({ random, secret }: Scene): unknown =>
  random.pick<() => unknown>([
    () => fetchFailed({ code: 'ECONNRESET', syscall: 'read' }),
    () => fetchFailed({ code: 'UND_ERR_SOCKET', socket: { authorization: secret } }),
    // Also of an established connection: the syscall tells.
    () => fetchFailed({ code: 'ECONNREFUSED', syscall: 'read' }),
    () => new TypeError(`could not send {"authorization":"Bearer ${secret}"}`),
    () => undefined,
  ])()

const chargeAll = (scene: Scene): number => chargeFor(scene, goodBody(scene))

/** Errors of the network before, between and in the middle of answers. */
export const accidents = {
  'not sent': () => ({ charge: 0, unsent: fetchFailed({ code: 'ECONNREFUSED', syscall: 'connect' }) }),
  'reset before the charge': (scene) => ({ charge: 0, end: 'reset', error: broken(scene) }),
  'reset after the charge': (scene) => ({ charge: chargeAll(scene), end: 'reset', error: broken(scene) }),
  'no answer': (scene) => ({ charge: scene.random.chance(0.5) ? chargeAll(scene) : 0, end: 'stall' }),
  'stall in the body': (scene) => ({ ...goodAnswer(scene), isClean: false, end: 'stall' }),
  'reset in the body': (scene) => ({
    ...goodAnswer(scene),
    isClean: false,
    end: 'reset',
    error: broken(scene),
  }),
  'cut body': (scene) => ({ ...goodAnswer(scene), isClean: false, end: 'cut' }),
} satisfies Record<string, Accident>
