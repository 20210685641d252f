import type { Phrases } from './topic.ts'

export const french: Phrases = {
  lang: 'fr',
  weight: 5,
  topics: [
    {
      keyword: 'café',
      weight: 3,
      hashtags: ['matin', 'terrasse'],
      slots: {
        thing: ['le café filtre', 'la terrasse', 'la nouvelle machine', 'le lait d’avoine'],
        lieu: ['près du canal', 'à la gare', 'au coin de ma rue', 'dans le train de nuit'],
      },
      lines: [
        'Le meilleur café de la ville se cache {lieu}. Je ne dirai rien de plus.',
        'Troisième café, {2-9} réunions, zéro décision. Une journée normale.',
        'Un café {lieu}, la pluie, {20-80} pages. Le bonheur tient à peu.',
        'Le serveur {lieu} connaît ma commande depuis {2-9} mois. Je ne déménagerai jamais.',
      ],
    },
    {
      keyword: 'climat',
      weight: 3,
      hashtags: ['transition', 'vélo', 'solaire'],
      slots: {
        thing: ['le train de nuit', 'la piste cyclable', 'la pompe à chaleur', 'le toit solaire'],
        lieu: ['dans notre quartier', 'au village', 'au bord de la rivière', 'à l’école'],
      },
      lines: [
        'Plus de {60-300} arbres plantés {lieu} ce matin. Mon dos proteste, le climat applaudit.',
        'Le toit solaire {lieu} a produit {9-38} kWh aujourd’hui. On fête ça.',
        'Il y a deux ans tout le monde riait. Maintenant {lieu} il y a une liste d’attente de {20-200} foyers.',
        'Les hirondelles sont arrivées {4-15} jours plus tôt. Le climat, ici, se lit dans le jardin.',
      ],
    },
    {
      keyword: 'livres',
      weight: 2,
      hashtags: ['lecture', 'bibliothèque'],
      slots: {
        thing: ['les notes de bas de page', 'la traduction', 'le club de lecture', 'le dernier chapitre'],
        genre: [
          'un polar très lent',
          'un roman par lettres',
          'une histoire du sel',
          'un essai sur la marche',
        ],
      },
      lines: [
        'Fini {genre} à {1-4} heures du matin. Aucun regret.',
        'La bibliothèque m’a prêté {genre}, sorti pour la dernière fois en {1974-1998}.',
        'J’ai {40-300} livres à lire et je viens d’en acheter {2-5} autres.',
        'Raté mon arrêt à cause de {genre}. Deux fois.',
      ],
    },
  ],
  openers: ['Petite pensée :', 'Avis impopulaire :', 'Bonjour à tous !', 'Note pour moi-même :'],
  closers: ['Et vous ?', 'Je maintiens.', 'À suivre.', 'Voilà, c’est tout.', 'Ça valait le détour.'],
  replies: [
    'Tout à fait d’accord, surtout sur {thing}.',
    'Pas convaincu. Chez nous, {thing}, ça marche.',
    'Merci ! Tu peux en dire plus sur {thing} ?',
    'J’ai ri. Et {thing}, alors ?',
  ],
  linkLeads: ['À lire ici :', 'Tous les détails :', 'Source :'],
  mentions: ['Merci @{handle} !', 'Avec @{handle}.', 'Comme disait @{handle}.'],
  firstNames: ['Maëlle', 'Bastien', 'Océane', 'Thibault', 'Solène', 'Rémi', 'Capucine'],
}
