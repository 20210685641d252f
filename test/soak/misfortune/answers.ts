import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { industries, networkPosts, page as microblogPage } from '../../support/pages.ts'
import type { SoakOperation } from './operations.ts'

/** The request that is to be answered. */
export interface Scene {
  readonly operation: SoakOperation
  /** Id of the call. */
  readonly id: string
  /** Position in the walk, from 1. */
  readonly page: number
  /** Pages that the service has for this walk. */
  readonly pages: number
  /** The credential that the request carries. */
  readonly secret: string
  readonly random: Random
}

/** What the service, or something in between, does with one request. */
export interface Play {
  /** Fails before anything is sent, with this error. */
  readonly unsent?: unknown
  /** Credits that the service charges. */
  readonly charge: number
  /** How the exchange ends for the client; absent for a complete answer. */
  readonly end?: 'reset' | 'stall' | 'cut'
  /** The error of a reset. */
  readonly error?: unknown
  /** Absent if there is none: the exchange ends before the headers. */
  readonly answer?: {
    readonly status: number
    readonly headers: [string, string][]
    readonly body: string
    /** Seconds to wait that the service announces; absent if it announces none. */
    readonly wait?: number
  }
  /** The service's own success, of documented shape. */
  readonly isClean?: boolean
  /** The service's own error body. */
  readonly isRefusal?: boolean
}

type Body = Record<string, unknown>

export const json: [string, string] = ['content-type', 'application/json']
export const html: [string, string] = ['content-type', 'text/html']

/** Ids of the items on a page: some on each, and none past the last one. */
function idsOf({ id, operation, page, pages }: Scene): string[] {
  const count = operation.paging === undefined ? 3 : page > pages ? 0 : 1 + ((page + id.length) % 3)
  return Array.from({ length: count }, (_, index) => `${id}.${page}.${index}`)
}

const comment = (id: string): Body => ({
  ...{ profileUrl: '', authorName: id, authorHeadline: '', text: id },
  ...{ timestamp: '2026-11-20T10:00:00.000Z', permalink: id },
})

const company = (id: string): Body => ({
  ...{ id, name: id, universalName: null, linkedinUrl: null, description: null, tagline: null },
  ...{ websiteUrl: null, industry: null, foundedYear: null, followerCount: 0, employeeCount: 1 },
  ...{ employeeCountRange: null, headquarter: null, locations: [], specialities: [], logoUrl: null },
})

/** A body of documented shape. */
export function goodBody(scene: Scene): Body {
  const { operation, page, pages, id } = scene
  const ids = idsOf(scene)
  const next = page < pages ? `cursor-${page + 1}` : undefined
  switch (operation.id) {
    case 'microblog.search':
      return microblogPage(ids, next)
    case 'professionalnet.posts.search':
      return networkPosts(page, ...ids)
    case 'professionalnet.industries.list':
      return industries(page, pages)
    case 'professionalnet.company.get':
      return { requestId: `req_${id}`, company: company(id) }
    case 'professionalnet.posts.comments': {
      const meta = { returnedCount: ids.length, total: ids.length, creditsCharged: ids.length }
      return { requestId: `req_${id}`, comments: ids.map(comment), meta }
    }
  }
  if (operation.list === undefined) return { requestId: `req_${id}`, id, note: 'as sent' }
  const meta = { hasMore: next !== undefined, ...(next !== undefined && { nextCursor: next }) }
  return { requestId: `req_${id}`, [operation.list]: ids.map((id) => ({ id, text: `Text of ${id}` })), meta }
}

/** Items of a page as the service sends them, as JSON. */
export function itemsOf(scene: Omit<Scene, 'random' | 'secret'>): string[] {
  const items = goodBody(scene as Scene)[scene.operation.list ?? '']
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : []
}

/** What the service charges for a success with this body. */
export function chargeFor({ operation, random }: Scene, body: unknown): number {
  if (operation.price === 0) return 0
  const { meta, [operation.list ?? '']: items } = (body ?? {}) as Body & {
    meta?: { creditsCharged?: unknown }
  }
  const said = meta?.creditsCharged
  if (typeof said === 'number' && Number.isSafeInteger(said) && said >= 0) return said
  if (operation.price !== 'items') return operation.price
  return Array.isArray(items) ? items.length : random.integer(0, 40)
}

/** A success of the service with this body. */
export function success(
  scene: Scene,
  body: unknown,
  text = JSON.stringify(body),
  headers: [string, string][] = [],
): Play {
  const answer = { status: 200, headers: [json, ...headers], body: text }
  return { charge: chargeFor(scene, body), answer }
}

/** The service's success, as documented. */
export function goodAnswer(scene: Scene): Play {
  return { ...success(scene, goodBody(scene)), isClean: true }
}
