/**
 * Genera that are reported far less than they occur: birds of the night, and those that hide in reeds, grass or leaf litter. The occurrence
 * model learned from checklists, which few people write at night. Our own list, by the model's names.
 */
export const SELDOM_REPORTED: ReadonlySet<string> = new Set(
  [
    // Owls
    'Aegolius Asio Athene Bubo Ciccaba Glaucidium Ketupa Lophostrix Megascops Micrathene Ninox Otus Psiloscops Ptilopsis Pulsatrix Strix Surnia Taenioptynx Tyto Phodilus Xenoglaux',
    // Nightjars, potoos, frogmouths, owlet-nightjars, oilbird
    'Aegotheles Antrostomus Batrachostomus Caprimulgus Chordeiles Eurostopodus Hydropsalis Lurocalis Lyncornis Nyctibius Nyctidromus Nyctiphrynus Nyctipolus Nyctiprogne Phalaenoptilus Podargus Setopagis Siphonorhis Steatornis Systellura Uropsalis',
    // Woodcocks, snipes, stone-curlews
    'Burhinus Esacus Gallinago Lymnocryptes Rostratula Scolopax',
    // Rails and crakes, finfoots
    'Amaurolimnas Anurolimnas Aramides Coturnicops Crex Dryolimnas Gallirallus Hapalocrex Heliornis Laterallus Lewinia Micropygia Mustelirallus Pardirallus Porzana Rallina Rallus Sarothrura Zapornia',
    // Bitterns and night herons
    'Botaurus Cochlearius Gorsachius Ixobrychus Nyctanassa Nycticorax Zebrilus',
    // Quails, buttonquails, tinamous
    'Coturnix Crypturellus Nothocercus Nothura Synoicus Tinamus Turnix',
    // Kiwis
    'Apteryx',
  ].flatMap((line) => line.split(' ')),
);
